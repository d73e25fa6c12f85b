// The page triggers of the articles: a share of all that is listed, a share of the newest page, the rows of a scroll's target.

/// When the articles' lists ask for their next page. All judge the lower edge of the screen against the length of all that is listed.
public enum PageThreshold {
  /// The place, in items, at which a fixed share of everything listed has been passed.
  public static func staticPlace(ratio: Double, listed: Int) -> Double { Double(listed) * ratio }

  /// The share of everything listed at which `ratio` of the newest page has been passed. `page` counts from 0 and is raised at each
  /// request: as printed, before the page has come, so that the next share is compared with the old length.
  public static func dynamicRatio(ratio: Double, page: Int, itemsPerPage: Int) -> Double {
    let perPage = Double(itemsPerPage)
    return (perPage * ratio + Double(page) * perPage) / (perPage * Double(page + 1))
  }

  /// The place, in items, at which the dynamic share has been passed.
  public static func dynamicPlace(ratio: Double, page: Int, itemsPerPage: Int, listed: Int) -> Double {
    Double(listed) * dynamicRatio(ratio: ratio, page: page, itemsPerPage: itemsPerPage)
  }

  /// Whether a list scrolled so far asks for its next page. All in points.
  public static func isPassed(ratio: Double, offset: Double, screen: Double, content: Double) -> Bool {
    (offset + screen) / content >= ratio
  }

  /// The rows on screen when a scroll comes to rest at `target`: whole rows from the head, the last one included even if only its
  /// edge shows. All in points.
  public static func targetRows(target: Double, screen: Double, rowHeight: Double) -> ClosedRange<Int> {
    let first = Int(target / rowHeight)
    return first...max(first, Int((target + screen) / rowHeight))
  }
}
