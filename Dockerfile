# The service as an image: what `npm start` installs, without the packages of the tests. docs/production.md says how to run
# it, docs/decisions/0027-production-shape.md has the reasons, and test/e2e/compose/ builds its contents without Docker.

# Bun comes from the npm registry, in the version of package.json. This stage needs only npm, and nothing of Node reaches
# the image.
FROM node:24.19.0-bookworm-slim AS packages
WORKDIR /app
# .npmrc permits the install script of Bun's package, and of no other.
COPY package.json bun.lock bunfig.toml .npmrc ./
# The installation applies the patches.
COPY patches patches/
# --omit=peer leaves out a compiler that some libraries name as a peer.
RUN npx --yes bun@1.4.5 install --frozen-lockfile --production --omit=peer
COPY tsconfig.json LICENSE ./
COPY src src/
COPY projections projections/
COPY migrations migrations/
COPY examples examples/
# bunx is Bun under another name. File modes must not depend on the umask of the checkout.
RUN rm node_modules/bun/bin/bunx.exe node_modules/.bin/bunx && chmod -R a+rX,go-w .

FROM debian:12.15-slim
LABEL org.opencontainers.image.title="Waymark" \
      org.opencontainers.image.description="HTTP API with which AI agents recommend and book travel activities, and which learns from verified visits" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="MIT"
# A fixed number, so that an operator can prepare a volume with its owner. The service owns only /data.
RUN groupadd --gid 10001 waymark \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin waymark \
 && install --directory --owner=10001 --group=10001 --mode=700 /data
WORKDIR /app
COPY --from=packages /app ./
# It listens on all addresses, because loopback is unreachable from outside the container. Bun caches no compiled sources:
# the root file system may be read-only.
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/data \
    BUN_RUNTIME_TRANSPILER_CACHE_PATH=0
VOLUME /data
EXPOSE 3000
USER 10001:10001
# The service is process 1 and gets the signal itself: it finishes running requests, stores checkpoints and ends with 0.
STOPSIGNAL SIGTERM
# `depends_on` and `docker compose up --wait` need readiness, not only liveness. The image has no curl, so Bun asks.
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s --start-interval=1s --retries=3 \
  CMD ["/app/node_modules/.bin/bun", "-e", "process.exit((await fetch(`http://127.0.0.1:${process.env.PORT}/readyz`)).ok ? 0 : 1)"]
ENTRYPOINT ["/app/node_modules/.bin/bun", "/app/src/main.ts"]
CMD ["serve"]
