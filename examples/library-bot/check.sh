#!/bin/sh
# Ends with 1 when the head no longer keeps the figures of lock.json on labels.jsonl.
set -eu
cd "$(dirname "$0")"
exec triptych router check --lock lock.json --data labels.jsonl
