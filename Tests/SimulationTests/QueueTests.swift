import Testing

@testable import Simulation

@Suite struct QueueTests {
  /// Drawn operations, beside an array.
  @Test func aQueueIsAnArrayWhoseFirstValuesLeave() {
    var random = RandomStream(seed: 1)
    var (queue, array) = (Queue<Int>(), [Int]())
    for number in 0..<20_000 {
      switch random.below(8) {
      case 0...3:
        queue.append(number)
        array.append(number)
      case 4 where !array.isEmpty: #expect(queue.removeFirst() == array.removeFirst())
      case 5:
        let count = Int(random.below(UInt64(array.count / 2 + 1)))
        queue.removeFirst(count)
        array.removeFirst(count)
      case 6 where !array.isEmpty:
        let position = Int(random.below(UInt64(array.count)))
        queue[position] += 1
        array[position] += 1
        #expect(queue[position] == array[position])
      case 7 where random.below(50) == 0:
        queue.removeAll { $0 % 3 == 0 }
        array.removeAll { $0 % 3 == 0 }
      default: break
      }
      #expect(queue.count == array.count && queue.isEmpty == array.isEmpty && queue.first == array.first)
    }
    #expect(Array(queue.values) == array)
    queue.removeAll()
    #expect(queue.isEmpty && queue.first == nil)
  }

  @Test func aRingKeepsItsNumbersAsItGrows() {
    var ring = Ring<Int>(capacity: 4)
    defer { ring.deallocate() }
    var (head, random) = (0, RandomStream(seed: 2))
    for number in 0..<5000 {
      if number - head == ring.capacity { ring.grow(keeping: head..<number) }
      ring[number] = 7 * number
      head = min(number, head + Int(random.below(3)))
      for kept in head...number { #expect(ring[kept] == 7 * kept && ring.address(of: kept).pointee == 7 * kept) }
      if number % 100 == 0 { head = number }
    }
    #expect(ring.capacity > 4)
  }
}
