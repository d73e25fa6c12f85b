// The page triggers of the articles: a share of all that is listed, a share of the newest page.

/// When the articles' lists ask for their next page. Both judge the lower edge of the screen against the length of all that is listed.
package enum PageThreshold {
  /// The share of everything listed at which `ratio` of the newest page has been passed. `page` counts from 0 and is raised at each
  /// request: as printed, before the page has come, so that the next share is compared with the old length.
  package static func dynamicRatio(ratio: Double, page: Int, itemsPerPage: Int) -> Double {
    let perPage = Double(itemsPerPage)
    return (perPage * ratio + Double(page) * perPage) / (perPage * Double(page + 1))
  }

  /// True if a list scrolled so far asks for its next page. All in points.
  package static func isPassed(ratio: Double, offset: Double, screen: Double, content: Double) -> Bool {
    (offset + screen) / content >= ratio
  }
}
