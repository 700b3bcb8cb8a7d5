/// Tasks that each consume a sequence.
final class Consumers {
    private let arrivals = Arrivals()
    private var tasks: [Task<Void, Never>] = []

    /// Starts the tasks, and returns when they observe.
    ///
    /// - Parameters:
    ///   - sequences: One for each task.
    ///   - beginnings: How many elements each begins with, which are consumed, too.
    init<Elements: AsyncSequence & Sendable>(of sequences: [Elements], beginnings: Int = 0)
    where Elements.Element: Sendable, Elements.Failure == Never {
        arrivals.wait(for: sequences.count * (1 + beginnings)) {
            tasks = sequences.map { [arrivals] elements in
                Task {
                    var iterator = elements.makeAsyncIterator()
                    arrivals.add()
                    while let element = await iterator.next(isolation: nil) {
                        blackHole(element)
                        arrivals.add()
                    }
                }
            }
        }
    }

    deinit {
        for task in tasks { task.cancel() }
    }

    /// How many elements have been consumed, and a number that stays the same.
    var count: Int { arrivals.count }

    /// Does something that brings the tasks so many elements in all, and returns when the last of
    /// them has been consumed.
    func wait(for number: Int, of body: () -> Void) { arrivals.wait(for: number, of: body) }
}
