// A background run's metrics as a row of the table.

import Analysis
import Simulation

extension BackgroundMetrics {
  /// One place for each of `Metric.allCases`.
  package var row: [Double?] {
    var row = RunRow(point: "", repetition: 1, seed: 0, axisValues: [], metrics: RunRow.noMetrics)
    row[.missing8h] = Double(missing)
    row[.resourcesAtMark] = Double(atMark.resources)
    row[.slicesAtMark] = Double(atMark.slices)
    let hours: [(Metric, Metric)] = [(.resources1h, .slices1h), (.resources4h, .slices4h), (.resources8h, .slices8h)]
    for ((resources, slices), standing) in zip(hours, afterHours) {
      row[resources] = Double(standing.resources)
      row[slices] = Double(standing.slices)
    }
    row[.firstResourceMs] = firstResourceMs
    row[.allResourcesMs] = allResourcesMs
    row[.lastByMarkMs] = lastByMarkMs
    row[.wakes] = Double(wakes)
    row[.wakesAtMark] = Double(wakesAtMark)
    row[.kills] = Double(kills)
    row[.tasks] = Double(tasks)
    row[.tasksCancelled] = Double(tasksCancelled)
    row[.limiterWaitMs] = limiterWaitMs
    row[.occasionWaitMs] = occasionWaitMs
    row[.startWaitMs] = startWaitMs
    row[.awakeMs] = awakeMs
    row[.newConnections] = Double(newConnections)
    row[.bytesReceived] = Double(bytesReceived)
    row[.bytesDead] = Double(bytesDead)
    row[.radioActiveMs] = radioActiveMs
    row[.energyJ] = energy
    return row.metrics
  }
}
