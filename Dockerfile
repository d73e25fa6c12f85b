# The program in a small image; `docker build --tag prefetch-sweep .` builds it from these sources.
# docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/work" prefetch-sweep run sweep.json5
FROM swift:6.3 AS build
WORKDIR /source
COPY . .
RUN Scripts/package /package

# A shell, which the jobs of Scripts/kubernetes-sweep.yaml need, and nothing else: the program is static.
FROM alpine:3
COPY --from=build /package/prefetch-sweep /usr/local/bin/prefetch-sweep
WORKDIR /work
ENTRYPOINT ["prefetch-sweep"]
CMD ["help"]
