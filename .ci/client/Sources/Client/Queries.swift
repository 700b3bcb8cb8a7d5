import FlatCache

/// A type whose index, queries and projections the client's own module specializes.
struct Ticket: Identifiable, Equatable, Sendable {
    static let byQueue = CacheIndex("queue", \Ticket.queue)
    static let byLabel = CacheIndex("label", each: \Ticket.labels)

    var id: Int
    var queue: String
    var priority: Int?
    var labels: [String] = []
}

func checkQueries() {
    let cache = Cache()
    cache.set(contentsOf: [
        Ticket(id: 1, queue: "ios", priority: 2, labels: ["bug"]),
        Ticket(id: 2, queue: "ios", labels: ["bug", "crash"]),
        Ticket(id: 3, queue: "web", priority: 1),
    ])
    let tickets = cache.query(Ticket.self)
        .where(Ticket.byQueue, equals: "ios")
        .sorted(by: \.priority, .descending)
    let summaries = tickets.map { ticket, _ in "\(ticket.id) \(ticket.queue)" }
    let counts = cache.query(Ticket.self).aggregate(.count, by: .each(\.labels))
    check("missing sort keys come last", tickets.ids == [1, 2])
    check("a query maps its rows", summaries.value == ["1 ios", "2 ios"])
    check("an entity counts in each group", counts.value == ["bug": 2, "crash": 1])

    let received = Received()
    let observations = [
        tickets.observeChanges { received.add("tickets \($0.difference.count)") },
        summaries.observeChanges { received.add("summaries \($0.difference.count)") },
        counts.observe { received.add("counts \($0["crash", default: 0])") },
    ]
    cache.performBatchUpdates { batch in
        batch.set(Ticket(id: 3, queue: "ios", priority: 1, labels: ["crash"]))
        check("a batch reads its own rows", tickets.elements(in: batch).map(\.id) == [1, 3, 2])
    }
    let expectedCalls = ["tickets 1", "summaries 1", "counts 2"]
    check("each observer is called once", received.calls == expectedCalls)
    let crashes = cache.query(Ticket.self).where(Ticket.byLabel, equals: "crash")
    check("a query finds the entities with a key", Set(crashes.ids) == [2, 3])
    for observation in observations { observation.dispose() }
}

/// The calls of observers, on the thread that writes.
final class Received: @unchecked Sendable {
    // Guarded by the main thread, on which all writes happen.
    private(set) var calls: [String] = []

    func add(_ call: String) { calls.append(call) }
}
