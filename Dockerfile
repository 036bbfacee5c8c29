# Image of the npm package that `npm run package` has written to dist/.
# Releases pass both images with their digests (docs/releasing.md).
ARG BUILD_IMAGE=node:24-bookworm-slim
ARG RUN_IMAGE=gcr.io/distroless/nodejs24-debian12:nonroot

FROM ${BUILD_IMAGE} AS build
WORKDIR /app
COPY dist/tenantry-*.tgz /tmp/tenantry.tgz
# The versions of npm-shrinkwrap.json. No package of it needs its scripts.
RUN tar -xzf /tmp/tenantry.tgz --strip-components=1 --no-same-owner \
    && npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
    && mkdir /data

FROM ${RUN_IMAGE}
WORKDIR /app
# Files of root: the process cannot change its program. It writes to /data only.
COPY --from=build /app /app
COPY --from=build --chown=65532:65532 /data /data
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
# A number: Kubernetes cannot check runAsNonRoot for a name.
USER 65532:65532
VOLUME ["/data"]
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["/nodejs/bin/node", "/app/bin/healthy.js"]
ENTRYPOINT ["/nodejs/bin/node", "/app/bin/tenantry.js"]
CMD ["start"]
