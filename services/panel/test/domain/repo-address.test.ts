import assert from "node:assert/strict";
import { test } from "node:test";
import { hasQuery, isPrivateHost, readAddress } from "../../src/domain/repo-address.ts";

const split = (text: string) => text.trim().split(/\s+/);

test("treats non-internet hosts as private, with or without port and brackets", () => {
  const within = split(`
    localhost localhost:3000 a.localhost printer.local db.internal localhost. 127.0.0.1 127.9.9.9:8080
    10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 0.0.0.0 100.64.0.1 198.18.0.1 192.0.0.8
    224.0.0.1 255.255.255.255 ::1 [::1] [::1]:3000 :: ::ffff:127.0.0.1 ::ffff:7f00:1 fe80::1 fc00::1 fd12::1
    ff02::1 64:ff9b::7f00:1 2002:7f00:1:: 2001::1 2001:0:53aa::1 127.1 192.0.2.1 198.51.100.1 203.0.113.1 192.88.99.1
    240.0.0.1 2001:db8::1 [2001:db8::1]:443 3fff::1 2001:2::1 100::1 4000::1 ::8.8.8.8 not:an:address
  `);
  const without = split(`
    github.com git.example.org:8443 8.8.8.8 172.15.0.1 172.32.0.1 100.128.0.1 198.20.0.1 192.0.1.1
    223.255.255.255 [2606:4700::1111]:443 2606:4700::1 2001:4860:4860::8888
  `);
  assert.deepEqual(
    within.filter((host) => !isPrivateHost(host)),
    [],
  );
  assert.deepEqual(without.filter(isPrivateHost), []);
});

test("detects loopback hosts in every notation", () => {
  const written = ["http://0x7f.1/a", "http://2130706433/a", "http://127.1:80/a", "http://[::ffff:127.0.0.1]/a"];
  for (const url of written) assert.ok(isPrivateHost(readAddress(url)?.host ?? ""), url);
});

test("validates a local path as git opens it, where %2e is a dot", () => {
  for (const way of ["/srv/demo/../x", "file:///srv/demo/%2e%2e/x", "file:///srv/demo/%2E./x", "file:///srv/a%0ab"])
    assert.equal(readAddress(way), null, way);
  const read = (way: string) => {
    const { url, canonical, localPath, name } = readAddress(way) ?? {};
    return [url, canonical, localPath, name];
  };
  assert.deepEqual(read("file:///srv/a%20b.git/"), [
    "file:///srv/a%20b.git",
    "file:/srv/a b.git",
    "/srv/a b.git",
    "a b",
  ]);
  for (const way of ["/srv/a b.git", "file:///srv/a b.git"]) assert.deepEqual(read(way), read("file:///srv/a%20b.git"));
  assert.equal(readAddress("/srv/a\nb"), null);
  // Paths are taken literally.
  const literal = ["file:///srv/%252e%252e/x", "file:/srv/%2e%2e/x", "/srv/%2e%2e/x", "x"];
  assert.deepEqual(read("/srv/%2e%2e/x"), literal);
  assert.deepEqual(read("file:///srv/%252e%252e/x"), literal);
});

test("rejects addresses that git could read as an option", () => {
  const refused = [
    "-x",
    "git@-host:a/b",
    "-host:a/b",
    "ssh://-host/a/b",
    "ssh://-oProxyCommand=x@host/a/b",
    "https://-h/a",
  ];
  for (const address of [...refused, "git@host:-a/b", "ssh://host/-a"])
    assert.equal(readAddress(address), null, address);
});

test("normalizes the address of a repository, with or without its default port", () => {
  const same = [
    "git@git.example:acme/sum",
    "ssh://git@git.example:22/acme/sum.git",
    "https://git.example:443/acme/sum/",
  ];
  for (const address of [...same, "http://git.example:80/acme/sum"])
    assert.equal(readAddress(address)?.canonical, "git.example/acme/sum", address);
  assert.equal(readAddress("ssh://git@git.example:2222/acme/sum")?.canonical, "git.example:2222/acme/sum");
});

test("truncates the name of a long address to its last 200 characters", () => {
  assert.equal(readAddress(`https://git.example/${"group/".repeat(60)}sum`)?.name.length, 200);
  assert.match(readAddress(`https://git.example/${"group/".repeat(60)}sum`)?.name ?? "", /group\/sum$/);
  assert.equal(readAddress(`git.example:${"\u{1f600}".repeat(201)}`)?.name, "\u{1f600}".repeat(200));
});

test("accepts only http(s), ssh and host:path addresses", () => {
  const refused = split(`
    ext::sh%20-c%20id fd::17/x ext::x@host:a/b https::https://git.example/a/b ssh://%2doProxyCommand=x/a/b
    ssh://git@%2dhost/a/b git://git.example/a/b ftp://git.example/a/b javascript:alert(1) ssh://ho%73t/a/b
  `);
  for (const address of refused) assert.equal(readAddress(address), null, address);
  for (const address of ["ssh://git@[2606:4700::1111]:22/a/b", "git@git_host:a/b", "https://git.example/a/b"])
    assert.notEqual(readAddress(address), null, address);
});

test("detects a query or fragment in every form of URL, but not in a local path", () => {
  for (const end of ["?token=secret", "?", "#main"])
    for (const address of ["https://git.example/a/b", "ssh://git@git.example/a/b", "git@git.example:a/b"])
      assert.ok(hasQuery(address + end), address + end);
  assert.ok(!hasQuery("/srv/a?b#c.git"));
});
