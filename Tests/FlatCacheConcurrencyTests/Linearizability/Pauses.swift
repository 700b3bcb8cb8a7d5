@testable import FlatCacheTestSupport

/// The random pauses of a thread during a history.
final class Pauses {
    private var random: SplitMix64

    init(seed: Seed, stream: Int = 0) {
        random = SplitMix64(seed: seed, stream: stream)
    }

    func next() -> Pause {
        switch random.below(8) {
        case 0...3: .none
        case 4...6: Pause(turns: random.below(60), yields: 0)
        default: Pause(turns: 0, yields: 1)
        }
    }

    func take() { next().take() }
}
