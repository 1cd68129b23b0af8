import assert from "node:assert/strict";
import { test } from "node:test";
import { isPrivateHost, readAddress } from "../../src/domain/repo-address.ts";

const words = (text: string) => text.trim().split(/\s+/);

test("what is no host of the internet is private, with a port or without, in brackets or without", () => {
  const within = words(`
    localhost localhost:3000 a.localhost printer.local db.internal localhost. 127.0.0.1 127.9.9.9:8080
    10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 0.0.0.0 100.64.0.1 198.18.0.1 192.0.0.8
    224.0.0.1 255.255.255.255 ::1 [::1] [::1]:3000 :: ::ffff:127.0.0.1 ::ffff:7f00:1 fe80::1 fc00::1 fd12::1
    ff02::1 64:ff9b::7f00:1 2002:7f00:1:: 2001::1 2001:0:53aa::1
  `);
  const without = words(`
    github.com git.example.org:8443 8.8.8.8 172.15.0.1 172.32.0.1 100.128.0.1 198.20.0.1 192.0.1.1
    223.255.255.255 [2606:4700::1111]:443 2606:4700::1 2001:4860:4860::8888
  `);
  assert.deepEqual(
    within.filter((host) => !isPrivateHost(host)),
    [],
  );
  assert.deepEqual(without.filter(isPrivateHost), []);
});

test("however a host of this machine is written in an address, it is seen", () => {
  const written = ["http://0x7f.1/a", "http://2130706433/a", "http://127.1:80/a", "http://[::ffff:127.0.0.1]/a"];
  for (const url of written) assert.ok(isPrivateHost(readAddress(url)?.host ?? ""), url);
});
