// Searches the directory, asks the router for a decision, and lists the runs of the panel.
//
// Needs Go 1.19 or newer and nothing else. types.go is generated: see README.md.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

var client = &http.Client{Timeout: 10 * time.Second}

// problem is an error response: RFC 9457 problem details.
type problem struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
	Errors []struct {
		Path    string `json:"path"`
		Message string `json:"message"`
	} `json:"errors"`
}

func (p *problem) Error() string {
	parts := []string{fmt.Sprintf("%d %s: %s", p.Status, p.Code, p.Detail)}
	for _, issue := range p.Errors {
		parts = append(parts, issue.Path+": "+issue.Message)
	}
	return strings.Join(parts, "; ")
}

// call sends one request; a body is sent as JSON by POST.
func call(address, token string, body any) ([]byte, error) {
	method, content := http.MethodGet, io.Reader(nil)
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		method, content = http.MethodPost, bytes.NewReader(encoded)
	}
	request, err := http.NewRequest(method, address, content)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode < 400 {
		return data, err
	}
	failed := problem{Status: response.StatusCode}
	if err := json.Unmarshal(data, &failed); err != nil {
		return nil, err
	}
	return nil, &failed
}

func search(address, key, text string) (page ItemsPage, err error) {
	query := url.Values{"q": {text}, "limit": {"3"}}
	data, err := call(address+"/api/items?"+query.Encode(), key, nil)
	if err != nil {
		return page, err
	}
	return UnmarshalItemsPage(data)
}

func decide(address, state string) (decision RouteDecision, err error) {
	data, err := call(address+"/v1/route", "", map[string]string{"state": state})
	if err != nil {
		return decision, err
	}
	return UnmarshalRouteDecision(data)
}

func listRuns(address, token string) (page RunPage, err error) {
	data, err := call(address+"/api/runs?limit=5", token, nil)
	if err != nil {
		return page, err
	}
	return UnmarshalRunPage(data)
}

func show(variables map[string]string) error {
	page, err := search(variables["DIRECTORY_URL"], variables["DIRECTORY_KEY"], "rennes")
	if err != nil {
		return err
	}
	fmt.Printf("directory: %d items\n", page.Total)
	for _, item := range page.Items {
		title, area := "", "unknown"
		if item.Title != nil {
			title = *item.Title
		}
		if item.Departement != nil {
			area = item.Departement.Nom
		}
		fmt.Printf("  %s (%s, %s)\n", title, item.Type, area)
	}
	decision, err := decide(variables["ROUTER_URL"], "What is the weather in Paris tomorrow?")
	if err != nil {
		return err
	}
	fmt.Printf("router: %s %s with confidence %.2f\n", decision.Action, decision.Route, decision.Confidence)
	runs, err := listRuns(variables["PANEL_URL"], variables["PANEL_TOKEN"])
	if err != nil {
		return err
	}
	fmt.Printf("panel: %d runs\n", len(runs.Items))
	for _, run := range runs.Items {
		fmt.Printf("  %s: %s run is %s\n", run.RepoName, run.Kind, run.State)
	}
	return nil
}

func main() {
	variables, missing := map[string]string{}, []string{}
	for _, name := range []string{"DIRECTORY_URL", "DIRECTORY_KEY", "ROUTER_URL", "PANEL_URL", "PANEL_TOKEN"} {
		if variables[name] = os.Getenv(name); variables[name] == "" {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		fmt.Fprintf(os.Stderr, "Set %s.\n", strings.Join(missing, ", "))
		os.Exit(2)
	}
	if err := show(variables); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
