// What the program calls itself, and the version of its model.

/// The program, as results name it.
public enum Program {
  /// Its name.
  public static let name = "prefetch-sweep"
  /// The version of its model: raised whenever the same scenario and seed may give another row. Part of every point's id.
  public static let modelVersion = "2"
}
