// Which axes split a sweep into strata: those that the file names, or those that tell of the world.

import Import

extension SweepFileReader {
  /// What a file says of strata.
  enum WantedStrata {
    /// Nothing: the axes that tell of the world are strata.
    case automatic
    /// These dimensions; none for a single list.
    case dimensions([Int], SourceLocation)
  }

  /// Reads `strata: ["network"]`, whose paths are swept.
  func readStrata(_ reader: inout ObjectReader, dimensions: [Grid.Dimension]) -> WantedStrata {
    guard let elements = reader.array("strata") else { return .automatic }
    let location = reader.location(of: "strata")
    if !elements.isEmpty, reader.has("population") {
      reader.report(
        "strata", problem: "stands beside population, whose strata the sweep has already", remedy: "keep one of the two")
    }
    let all = dimensions.flatMap(\.paths)
    if elements.count > max(all.count, SweepStrata.limit) {
      reader.report(
        "strata", problem: "names \(elements.count) paths, more than the \(all.count) that are swept", remedy: "name axes, each once")
      return .automatic
    }
    var named: [String] = []
    for (index, element) in elements.enumerated() {
      do throws(ValueProblem) {
        let path = try ScalarValue.text(element)
        guard all.contains(path) else {
          throw ValueProblem(
            "is \(quoted(path)), which is not swept", remedy: NearestName.remedy(for: path, among: all, what: "axes"))
        }
        if named.contains(path) { throw ValueProblem("names \(quoted(path)) twice", remedy: "take one of them out") }
        named.append(path)
      } catch { sink.report(error, at: element.location, key: "strata.\(index)") }
    }
    let chosen = dimensions.indices.filter { dimensions[$0].paths.contains { named.contains($0) } }
    for index in chosen {
      guard let missing = dimensions[index].paths.first(where: { !named.contains($0) }) else { continue }
      let path = dimensions[index].paths.first { named.contains($0) } ?? ""
      sink.report(
        at: location, key: "strata", problem: "names \(path), which walks together with \(missing)",
        remedy: "name all paths of the zip group, or none")
    }
    return .dimensions(chosen, location)
  }

  /// Reads the users that there are; nil after a report.
  func readPopulation(
    _ elements: [JSON5Value], at location: SourceLocation, _ scenario: JSON5Value, _ dimensions: [Grid.Dimension],
    _ decoder: ScenarioDecoder
  ) -> Population? {
    let reader = PopulationReader(scenario: scenario, decoder: decoder, axes: dimensions, settings: settings, sink: sink)
    guard let population = reader.read(elements, at: location) else { return nil }
    for path in population.dimension.paths {
      guard let axis = dimensions.flatMap(\.paths).first(where: { $0 == path || path.hasPrefix($0 + ".") }) else { continue }
      sink.report(
        at: location, key: "population", problem: "sets \(path), which the axis \(axis) sets too",
        remedy: "take the axis out, or the population's \(path)")
    }
    return sink.isEmpty ? population : nil
  }

  /// The strata of a grid, at least one for each transport; nil if all its points are compared with each other. `baseline` has what this sets.
  func makeStrata(
    _ wanted: WantedStrata, _ population: [SweepStrata.Member]?, of grid: Grid, baseline: [(String, JSON5Value)]?
  ) -> SweepStrata? {
    let models = grid.dimensions.indices.filter { SweepStrata.isModelChoice(grid.dimensions[$0], of: grid) }
    if let population {
      if let model = models.first {
        sink.report(
          at: grid.dimensions[model].location, key: "axes",
          problem: "choose the transport beside a population: a field over models is no field",
          remedy: "take the axis out and run the sweep once for each, with --set network.transport=…")
        return nil
      }
      return SweepStrata(population: population, of: grid).kept(in: grid)
    }
    var chosen: [Int]
    var location = grid.dimensions.first?.location ?? SourceLocation(file: "")
    switch wanted {
    case .dimensions(let dimensions, let place): (chosen, location) = (dimensions, place)
    case .automatic:
      chosen = SweepStrata.worldDimensions(of: grid)
      let paths = chosen.flatMap { grid.dimensions[$0].paths }
      // Where only the world is swept and the baseline is one of its places, the question is about the world itself.
      let hasSettings = chosen.count < grid.dimensions.count || (baseline ?? []).contains { name, _ in !paths.contains(name) }
      // A baseline in a world that the grid has not is held against all others on purpose.
      let isElsewhere = (baseline ?? []).contains { name, value in
        let axis = grid.dimensions.lazy.compactMap { zip($0.paths, $0.values).first { $0.0 == name }?.1 }.first
        return paths.contains(name) && axis?.contains { $0.nameText == value.nameText } == false
      }
      if !hasSettings || isElsewhere { chosen = [] }
      if let first = chosen.first { location = grid.dimensions[first].location }
    }
    // Nothing is ranked or averaged over a choice of model, whatever the file says.
    chosen = Set(chosen).union(models).sorted()
    return SweepStrata.splitting(grid, by: chosen, at: location, sink: sink)
  }
}

extension SweepStrata {
  /// The strata of a population, whose dimension is the grid's first.
  package init(population members: [Member], of grid: Grid) {
    kind = .population
    dimensions = [0]
    paths = grid.dimensions[0].paths
    self.members = members
  }
}
