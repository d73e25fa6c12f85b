print("prefetch-sweep")
