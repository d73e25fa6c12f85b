// The names of axes, values and points, the same in sentences, tables and charts.

import Base

/// The names of a sweep's points: the kind first, then the settings that differ between points, e.g. `ifunny-five, ahead 8, connections 4`.
package struct PointNames {
  /// The short name of each axis: the last part of its path, or the whole path if others end alike.
  package let axes: [String]
  private let values: [[String: String]]
  /// True for axes whose values are kinds, which need no axis' name: whole parts such as `prefetcher`, and `kind`.
  private let isKind: [Bool], varies: [Bool]
  private let objects: [String: [SweepDescription.ValuePart]]

  /// Creates the names for axes and the texts of all their values, of which `objects` has the parts.
  package init(paths: [String], values: [[String]], objects: [String: [SweepDescription.ValuePart]]?) {
    axes = Self.short(paths)
    isKind = zip(paths, values).map { path, texts in (!path.contains(".") || path.hasSuffix(".kind")) && NumericAxis(texts) == nil }
    varies = values.map { Set($0).count > 1 }
    let objects = objects ?? [:]
    self.values = values.map { Self.values($0, objects) }
    self.objects = objects
  }

  package init(paths: [String], sweep: SweepDescription) {
    let baselines = sweep.baselines.map(\.axisValues)
    self.init(
      paths: paths,
      values: paths.map { path in
        guard let axis = sweep.axes.firstIndex(where: { $0.path == path }) else { return [] }
        return sweep.axes[axis].values + baselines.compactMap { $0.indices.contains(axis) ? $0[axis] : nil }
      }, objects: sweep.objects)
  }

  /// Returns the name of an axis' value, never JSON.
  package func value(_ text: String, axis: Int) -> String { values[axis][text] ?? Self.values([text], objects)[text] ?? text }

  /// Returns the name of the point with some axis values; without axes an empty text.
  package func point(_ texts: [String], omitting shared: Set<Int> = []) -> String {
    let different = axes.indices.filter { varies[$0] && !shared.contains($0) }
    let shown = different.isEmpty ? Array(axes.indices) : different
    let names = shown.map { isKind[$0] ? value(texts[$0], axis: $0) : setting(texts[$0], axis: $0) }
    let kinds = zip(shown, names).filter { isKind[$0.0] }, others = zip(shown, names).filter { !isKind[$0.0] }
    return (kinds + others).map(\.1).joined(separator: ", ")
  }

  /// Returns a value with all its settings, e.g. `infinite, ahead 5`.
  package func full(_ text: String) -> String {
    let object = ValueObject(text, objects[text])
    return object.name(object.settings)
  }

  /// Returns the name of an axis with a value, e.g. `maxCost 5`.
  package func setting(_ text: String, axis: Int) -> String { "\(axes[axis]) \(value(text, axis: axis))" }

  /// Returns the axes in which some points, at least two, have one value.
  package func shared(_ points: [[String]]) -> Set<Int> {
    guard points.count > 1 else { return [] }
    return Set(axes.indices.filter { axis in varies[axis] && points.allSatisfy { $0[axis] == points[0][axis] } })
  }

  /// Returns the shortest distinct names of paths: the last component, or the whole path if others end alike.
  package static func short(_ paths: [String]) -> [String] {
    let last = paths.map { path in path.split(separator: ".").last.map(String.init) ?? path }
    let counts = last.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    return zip(paths, last).map { counts[$1] == 1 ? $1 : $0 }
  }

  /// Returns a distinct name for each text. An object has its kind and the settings in which it differs from the others of that kind.
  private static func values(_ texts: [String], _ objects: [String: [SweepDescription.ValuePart]]) -> [String: String] {
    let parsed = texts.distinct.map { (text: $0, object: ValueObject($0, objects[$0])) }
    let kinds = Dictionary(grouping: parsed, by: \.object.kind)
    func name(_ object: ValueObject) -> String {
      let others = kinds[object.kind] ?? []
      let differing = object.settings.filter { setting in others.contains { other in !other.object.settings.contains { $0 == setting } } }
      let name = object.name(object.kind.isEmpty && differing.isEmpty ? object.settings : differing)
      return name.isEmpty ? "defaults" : name
    }
    var counts: [String: Int] = [:]
    let names = parsed.map { text, object in
      let name = name(object)
      counts[name, default: 0] += 1
      return (text, counts[name] == 1 ? name : "\(name) (\(counts[name] ?? 0))")
    }
    return Dictionary(uniqueKeysWithValues: names)
  }
}

/// An axis value as its kind and settings. A value that is no object is a kind.
private struct ValueObject {
  struct Setting: Equatable { let path: [String], name: String, text: String }

  /// The keys whose values name the whole object.
  private static let namingKeys = ["kind", "profile", "file", "distribution"]

  let kind: String
  let settings: [Setting]

  init(_ text: String, _ parts: [SweepDescription.ValuePart]?) {
    guard let parts else {
      (kind, settings) = (text, [])
      return
    }
    kind = parts.filter { $0.path.count == 1 && Self.namingKeys.contains($0.path[0]) }.map(\.text).joined(separator: ", ")
    let others = parts.filter { $0.path.count > 1 || !Self.namingKeys.contains($0.path[0]) }
    // `dwell.distribution` is called `dwell`.
    let paths = others.map { ($0.path.count > 1 && Self.namingKeys.contains($0.path.last ?? "") ? $0.path.dropLast() : $0.path[...]) }
    let names = PointNames.short(paths.map { $0.joined(separator: ".") })
    settings = zip(names, others).map { Setting(path: $1.path, name: $0, text: $1.text) }
  }

  func name(_ settings: [Setting]) -> String {
    ((kind.isEmpty ? [] : [kind]) + settings.map { "\($0.name) \($0.text)" }).joined(separator: ", ")
  }
}
