#!/bin/sh
# Chromium's debugging port listens on the loopback device only, so a second door leads to it. No name resolves in this
# browser: whatever a page asked for would fail, even where the harness did not refuse it first.
set -eu
chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --font-render-hinting=none --no-first-run \
    --disable-background-networking --disable-component-update --disable-sync --host-resolver-rules="MAP * ~NOTFOUND" \
    --user-data-dir=/tmp/profile --remote-debugging-port=9222 about:blank &
browser=$!
trap 'kill "$browser"' TERM INT
socat TCP-LISTEN:9223,fork,reuseaddr TCP:127.0.0.1:9222 &
wait "$browser"
