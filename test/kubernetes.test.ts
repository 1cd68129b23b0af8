import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { settings as directory } from "@triptych/directory/config";
import { settings as gateway } from "@triptych/gateway/config";
import { settings as panel } from "@triptych/panel/config";
import { settings as rail } from "@triptych/rail/config";
import { settings as router } from "@triptych/router/config";
import { parseAllDocuments } from "yaml";

const FOLDER = fileURLToPath(new URL("../deploy/k8s/", import.meta.url));
const SERVICES = [directory, gateway, panel, rail, router];
/** Values for the placeholders of the example secret. */
const SECRETS = {
  TRIPTYCH_SECRET: "Vw0J4uKXkS2mQ9r7tYb1cD3eF5gH6iLz8xNpAoBq0Wk=",
  RAIL_SERVICE_TOKEN: undefined,
  ROUTER_SERVICE_TOKEN: undefined,
  RAIL_ADMIN_TOKEN: undefined,
};

// oxlint-disable-next-line typescript/no-explicit-any -- manifests have no schema here; the assertions are the check
type Manifest = any;

async function manifests(): Promise<readonly Manifest[]> {
  const files = (await Array.fromAsync(glob("*.yaml", { cwd: FOLDER }))).sort();
  const texts = await Promise.all(files.map((file) => readFile(FOLDER + file, "utf8")));
  return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS()));
}

test("each workload has the port, probes and variables that its service reads", async () => {
  const all = await manifests();
  const find = (kind: RegExp, name: string) =>
    all.find((one) => kind.test(one.kind) && one.metadata.name === name) ?? assert.fail(`no ${kind.source} ${name}`);
  const shared = { ...find(/^ConfigMap$/, "triptych").data, ...find(/^Secret$/, "triptych").stringData, ...SECRETS };
  for (const { service, variables, issuesOf } of SERVICES) {
    const { template } = find(/^(Deployment|StatefulSet)$/, service).spec;
    const [container] = template.spec.containers;
    const own = Object.fromEntries(container.env.map(({ name, value }: Manifest) => [name, value]));
    const port = variables.find(({ name }) => name === `${service.toUpperCase()}_PORT`)?.default;
    assert.equal(own[`${service.toUpperCase()}_PORT`], port);
    assert.deepEqual(container.ports, [{ name: "http", containerPort: Number(port) }]);
    assert.deepEqual(container.args, ["start", service]);
    assert.deepEqual(issuesOf({ ...shared, ...own }), [], service);
    for (const [probe, path] of [
      ["startupProbe", "/livez"],
      ["livenessProbe", "/livez"],
      ["readinessProbe", "/readyz"],
    ] as const)
      assert.deepEqual(container[probe].httpGet, { path, port: "http" });
    assert.equal(find(/^Service$/, service).spec.ports[0].port, Number(port));
    const [rule] = find(/^Ingress$/, service).spec.rules;
    assert.deepEqual(rule.http.paths[0].backend, { service: { name: service, port: { name: "http" } } });
    assert.equal(shared[`${service.toUpperCase()}_URL`], `https://${rule.host}`);
    const budget = find(/^PodDisruptionBudget$/, service).spec;
    assert.deepEqual(
      budget.selector.matchLabels,
      find(/^(Deployment|StatefulSet)$/, service).spec.selector.matchLabels,
    );
  }
});

test("every variable of the shared configuration is read by a service", async () => {
  const known = new Set(SERVICES.flatMap(({ variables }) => variables.map(({ name }) => name)));
  for (const one of await manifests())
    if (one.kind === "ConfigMap" || one.kind === "Secret")
      for (const name of Object.keys({ ...one.data, ...one.stringData })) assert.ok(known.has(name), name);
});

test("containers run as user 10001 on a read-only root, without privileges and service variables", async () => {
  for (const { kind, spec } of await manifests()) {
    if (kind !== "Deployment" && kind !== "StatefulSet") continue;
    const pod = spec.template.spec;
    assert.deepEqual([pod.securityContext.runAsNonRoot, pod.securityContext.runAsUser], [true, 10_001]);
    // A service named `rail` would set RAIL_PORT=tcp://….
    assert.equal(pod.enableServiceLinks, false);
    for (const { securityContext, volumeMounts } of pod.containers) {
      assert.equal(securityContext.readOnlyRootFilesystem, true);
      assert.equal(securityContext.allowPrivilegeEscalation, false);
      assert.deepEqual(securityContext.capabilities, { drop: ["ALL"] });
      assert.deepEqual(volumeMounts.map(({ mountPath }: Manifest) => mountPath).sort(), ["/data", "/tmp"]);
    }
  }
});
