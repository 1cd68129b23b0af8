/** Method and path of each endpoint that the dashboard uses, checked against the contract by the compiler. */
import type * as contract from "@triptych/contracts";
import { endpoint } from "../../../shared/endpoint.ts";

export const login = endpoint<typeof contract.login>("POST", "/api/auth/login");
export const signInOnce = endpoint<typeof contract.signInOnce>("POST", "/api/auth/once");
export const logout = endpoint<typeof contract.logout>("POST", "/api/auth/logout");
export const getSession = endpoint<typeof contract.getSession>("GET", "/api/auth/session");
export const getAccount = endpoint<typeof contract.getAccount>("GET", "/api/account");
export const getLicense = endpoint<typeof contract.getLicense>("GET", "/api/account/license");
export const rotateLicense = endpoint<typeof contract.rotateLicense>("POST", "/api/account/license");
export const listTokens = endpoint<typeof contract.listTokens>("GET", "/api/account/tokens");
export const createToken = endpoint<typeof contract.createToken>("POST", "/api/account/tokens");
export const deleteToken = endpoint<typeof contract.deleteToken>("DELETE", "/api/account/tokens/{id}");

export const listRepos = endpoint<typeof contract.listRepos>("GET", "/api/repos");
export const createRepo = endpoint<typeof contract.createRepo>("POST", "/api/repos");
export const getRepo = endpoint<typeof contract.getRepo>("GET", "/api/repos/{id}");
export const updateRepo = endpoint<typeof contract.updateRepo>("PATCH", "/api/repos/{id}");
export const deleteRepo = endpoint<typeof contract.deleteRepo>("DELETE", "/api/repos/{id}");
export const checkRepo = endpoint<typeof contract.checkRepo>("POST", "/api/repos/{id}/check");
export const listMemories = endpoint<typeof contract.listMemories>("GET", "/api/repos/{id}/memories");
export const addMemory = endpoint<typeof contract.addMemory>("POST", "/api/repos/{id}/memories");
export const updateMemory = endpoint<typeof contract.updateMemory>("PATCH", "/api/repos/{id}/memories/{mid}");
export const deleteMemory = endpoint<typeof contract.deleteMemory>("DELETE", "/api/repos/{id}/memories/{mid}");
export const listCandidates = endpoint<typeof contract.listCandidates>("GET", "/api/repos/{id}/candidates");
export const getExploreStats = endpoint<typeof contract.getExploreStats>("GET", "/api/repos/{id}/explore-stats");
export const runCandidate = endpoint<typeof contract.runCandidate>("POST", "/api/candidates/{id}/run");
export const rejectCandidate = endpoint<typeof contract.rejectCandidate>("POST", "/api/candidates/{id}/reject");

export const startRun = endpoint<typeof contract.startRun>("POST", "/api/repos/{id}/run");
export const startExplore = endpoint<typeof contract.startExplore>("POST", "/api/repos/{id}/explore");
export const listRuns = endpoint<typeof contract.listRuns>("GET", "/api/runs");
export const getRun = endpoint<typeof contract.getRun>("GET", "/api/runs/{id}");
export const readBus = endpoint<typeof contract.readBus>("GET", "/api/runs/{id}/bus");
export const cancelRun = endpoint<typeof contract.cancelRun>("POST", "/api/runs/{id}/cancel");
export const retryRun = endpoint<typeof contract.retryRun>("POST", "/api/runs/{id}/retry");
export const followUpRun = endpoint<typeof contract.followUpRun>("POST", "/api/runs/{id}/follow-up");
export const openPr = endpoint<typeof contract.openPr>("POST", "/api/runs/{id}/pr");

export const workerStatus = endpoint<typeof contract.workerStatus>("GET", "/api/worker/status");
export const probeWorker = endpoint<typeof contract.probeWorker>("POST", "/api/worker/probe");
export const updateWorker = endpoint<typeof contract.updateWorker>("PATCH", "/api/workers/{id}");
export const deleteWorker = endpoint<typeof contract.deleteWorker>("DELETE", "/api/workers/{id}");
