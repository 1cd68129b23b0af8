# Two images: `--target services` (all five services) and `--target worker`. See docs/containers.md.
ARG BUILD=docker.io/library/node:24-bookworm-slim
ARG BASE=docker.io/library/debian:bookworm-slim

FROM ${BUILD} AS build
WORKDIR /src
COPY . .
RUN npm ci --no-audit --no-fund \
 && npm run build \
 && npm install --prefix dist/cli --omit=dev --no-audit --no-fund \
 && cp -r node_modules/stripe dist/cli/node_modules/ \
 && find dist/cli/node_modules -regex '.*\.\(d\.[cm]?ts\|map\|md\)' -delete \
 && cp "$(npx --no-install node -p process.execPath)" /node

FROM ${BASE} AS common
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates git openssh-client \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /usr/share/doc /usr/share/locale /usr/share/man \
 && useradd --uid 10001 --create-home triptych \
 && install -d -o 10001 -g 10001 -m 0700 /data
COPY --from=build /node /usr/local/bin/node
COPY --from=build /src/dist/cli /app
LABEL org.opencontainers.image.title="Triptych" \
      org.opencontainers.image.description="A maintenance panel, a directory, routing decisions" \
      org.opencontainers.image.licenses="MIT"
ENV TRIPTYCH_DATA=/data HOST=0.0.0.0 TMPDIR=/tmp NODE_COMPILE_CACHE=/tmp/compiled
USER 10001
VOLUME /data
WORKDIR /data
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--disable-warning=ExperimentalWarning", "/app/start.mjs"]

FROM common AS worker
USER 0
RUN apt-get update && apt-get install -y --no-install-recommends bubblewrap \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
USER 10001
CMD ["worker", "--work-dir", "/data"]

FROM common AS services
EXPOSE 7001 7002 7003 7004 7005
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(process.env.HEALTH_URL ?? 'http://127.0.0.1:7002/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["start"]
