# The decision service, with its code compiled: docker build -t swapregret . ; docs/service.md says how to run it.
FROM python:3.13-slim AS build
WORKDIR /source
COPY . .
RUN PREFIX=/opt/swapregret .ci/install-service

FROM python:3.13-slim
COPY --from=build /opt/swapregret /opt/swapregret
ENV PATH=/opt/swapregret/venv/bin:$PATH \
    NUMBA_CPU_NAME=generic \
    NUMBA_CACHE_DIR=/opt/swapregret/compiled \
    SWAPREGRET_DATABASE=sqlite:////data/swapregret.db
RUN useradd --system --uid 10001 swapregret && mkdir /data && chown swapregret /data
USER swapregret
VOLUME /data
EXPOSE 8000
ENTRYPOINT ["swapregret", "serve"]
CMD ["--host", "0.0.0.0"]
