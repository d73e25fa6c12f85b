// The formats that `report --format` offers.

package enum PointFormats {
  package static let all: KeyValuePairs<String, any LineFormat> = ["csv": CSVFormat(), "json": NDJSONFormat()]
}
