# The service as an image: what `npm start` installs, without what only tests need. docs/production.md says how to run it,
# docs/decisions/0027-production-shape.md why it looks like this, and test/e2e/compose/ builds its contents without Docker.

# Bun comes from the npm registry, in the version of package.json, as everywhere in this project: npm is all that this
# stage needs of Node, and nothing of Node reaches the image.
FROM node:24.19.0-bookworm-slim AS packages
WORKDIR /app
# .npmrc lets Bun's package, and no other, run what it has to run when it is installed.
COPY package.json bun.lock bunfig.toml .npmrc ./
# What is mended in a package is mended as it is installed.
COPY patches patches/
# --omit=peer leaves out a compiler that libraries name for those who build with them.
RUN npx --yes bun@1.4.5 install --frozen-lockfile --production --omit=peer
COPY tsconfig.json LICENSE ./
COPY src src/
COPY projections projections/
COPY migrations migrations/
COPY examples examples/
# bunx is Bun under another name. The modes do not follow the umask of whoever checked the project out.
RUN rm node_modules/bun/bin/bunx.exe node_modules/.bin/bunx && chmod -R a+rX,go-w .

FROM debian:12.15-slim
LABEL org.opencontainers.image.title="Waymark" \
      org.opencontainers.image.description="HTTP API with which AI agents recommend and book travel activities, and which learns from verified visits" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="MIT"
# A fixed number, so that whoever prepares a volume knows its owner. Only /data is the service's own.
RUN groupadd --gid 10001 waymark \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin waymark \
 && install --directory --owner=10001 --group=10001 --mode=700 /data
WORKDIR /app
COPY --from=packages /app ./
# All addresses, since the container's own is the only one that others reach. Bun keeps no compiled sources: the root file
# system may be read-only.
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/data \
    BUN_RUNTIME_TRANSPILER_CACHE_PATH=0
VOLUME /data
EXPOSE 3000
USER 10001:10001
# The service is process 1 and is told itself: it answers what is under way, stores its checkpoints and ends with code 0.
STOPSIGNAL SIGTERM
# Ready, not only alive, so that `depends_on` and `docker compose up --wait` mean what they say. Bun asks: there is no curl.
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s --start-interval=1s --retries=3 \
  CMD ["/app/node_modules/.bin/bun", "-e", "process.exit((await fetch(`http://127.0.0.1:${process.env.PORT}/readyz`)).ok ? 0 : 1)"]
ENTRYPOINT ["/app/node_modules/.bin/bun", "/app/src/main.ts"]
CMD ["serve"]
