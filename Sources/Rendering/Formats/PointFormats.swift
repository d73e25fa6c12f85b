// The formats that `report --format` offers.

/// The formats in which other programs read the table of all points.
package enum PointFormats {
  package static let all: KeyValuePairs<String, any LineFormat> = ["csv": CSVFormat(), "json": NDJSONFormat()]
}
