// Flings at random: moves of a user who scrolls, over several items at once.

package struct Flings: Hashable, Sendable {
  package var probability: Double
  /// The items of a fling: the whole part of a draw.
  package var items: Distribution

  package init(probability: Double, items: Distribution) { (self.probability, self.items) = (probability, items) }

  /// Returns the items of the next move: 1, or those of a fling.
  func draw(from random: inout RandomStream) -> Int {
    random.unit() < probability ? max(1, Int(items.draw(from: &random))) : 1
  }

  /// 611 flings among 5651 moves of 153 participants (Howquez/DICE, meme feed of 2024), by Scripts/fit people.
  static let memes = Flings(
    probability: 0.108,
    items: .quantiles(
      [2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40], at: [0, 0.574, 0.668, 0.735, 0.769, 0.820, 0.854, 0.894, 0.921, 0.967, 1]))
}
