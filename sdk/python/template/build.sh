#!/bin/sh
# Makes NAME_OF_FILE.wasm of app.py and app.json.
set -e
cd "$(dirname "$0")"
componentize-py --wit-path wit --world app componentize app --output NAME_OF_FILE.wasm
spindle app pack NAME_OF_FILE.wasm app.json
