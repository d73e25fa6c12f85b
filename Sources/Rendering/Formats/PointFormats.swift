// The formats that `report --format` offers.

package enum PointFormats {
  package static let all: [(key: String, value: any LineFormat)] = [("csv", CSVFormat()), ("json", NDJSONFormat())]
}
