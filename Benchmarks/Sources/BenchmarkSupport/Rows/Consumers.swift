/// Tasks that consume a sequence each.
final class Consumers {
    private let arrivals = Arrivals()
    private var tasks: [Task<Void, Never>] = []

    /// Starts the tasks, and returns when they observe.
    ///
    /// - Parameters:
    ///   - sequences: The sequences, one for each task.
    ///   - beginnings: The number of initial elements of each sequence, which are consumed before
    ///     this returns.
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

    /// The number of consumed elements, plus a constant.
    var count: Int { arrivals.count }

    /// Runs a closure that causes a total number of elements for the tasks, and returns when the
    /// last of them has been consumed.
    func wait(for number: Int, of body: () -> Void) { arrivals.wait(for: number, of: body) }
}
