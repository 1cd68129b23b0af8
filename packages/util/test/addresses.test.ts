import assert from "node:assert/strict";
import { test } from "node:test";
import { scopeOfAddress } from "../src/addresses.ts";

test("rejects private addresses", () => {
  for (const address of [
    "127.0.0.1",
    "10.1.2.3",
    "172.31.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "::1",
    "fe80::1",
    "fd00::1",
    "::ffff:127.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "192.0.2.1",
    "198.51.100.1",
    "203.0.113.1",
    "192.88.99.1",
    "2001:db8::1",
    "3fff::1",
    "4000::1",
    "no address",
  ])
    assert.notEqual(scopeOfAddress(address), "public", address);
  for (const address of ["1.1.1.1", "93.184.215.14", "2606:4700::1111"])
    assert.equal(scopeOfAddress(address), "public", address);
});
