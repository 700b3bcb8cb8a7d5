import FlatCache

extension Row {
    /// Rows about changes that reach observers over relationships.
    static let relationshipRows = [
        Row(
            "8",
            "update of a hub with 1,000,000 unobserved dependents",
            against: "FlatCache, 1,000 dependents",
            target: 1.5
        ) { scale in
            let small = Hub(dependents: min(1_000, scale(10_000) / 10))
            let large = Hub(dependents: scale(1_000_000))
            return Contest {
                small.measure(updates: scale(10_000))
            } subject: {
                large.measure(updates: scale(10_000))
            }
        },
        Row("9", "call of each of 100,000 observers", against: lockedLookup, target: 3) { scale in
            let baseline = LookupBaseline(scale)
            let fanOut = FanOut(observers: scale(100_000)) { cache, id, tally in
                cache.cached(Book<Int>.self, id: id).observe { book in
                    blackHole(book.pages)
                    tally.add()
                }
            }
            return Contest {
                baseline.measure()
            } subject: {
                fanOut.measure(sets: 5)
            }
        },
        Row("10", "hop along 100,000 relationships", against: lockedLookup, target: 6) { scale in
            let baseline = LookupBaseline(scale)
            let chain = Chain(links: scale(100_000))
            return Contest {
                baseline.measure()
            } subject: {
                chain.measure(updates: 5)
            }
        },
        Row(
            "11",
            "update in a two-way graph of 100,000, one observed",
            against: "a plain walk of the component"
        ) { scale in
            let graph = TwoWayGraph(members: scale(100_000))
            let walk = PlainWalk(graph)
            let watched = WatchedGraph(graph, updates: scale(20_000))
            return Contest {
                walk.measure(walks: 1)
            } subject: {
                watched.measure()
            }
        },
        Row(
            "11b",
            "book that leaves a two-way graph of 100,000, or joins it again",
            against: "an update in that graph"
        ) { scale in
            let graph = TwoWayGraph(members: scale(100_000))
            let watched = WatchedGraph(graph, updates: scale(20_000))
            return Contest {
                watched.measure()
            } subject: {
                watched.measureDepartures(scale(5_000))
            }
        },
    ]
}
