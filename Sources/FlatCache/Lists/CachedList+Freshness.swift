extension CachedList {
    /// The freshness of the list's oldest element.
    ///
    /// ```swift
    /// let bestsellers = cache.list("bestsellers", of: Book.self)
    /// if bestsellers.freshness.isStale { print("Pull to refresh") }
    /// ```
    ///
    /// The list is stale if any of its elements is, since the element that became stale first.
    /// Otherwise, it is fresh since its oldest element was stored, or since an unknown time if the
    /// type of the elements has no lifetimes. Elements without a value don't count, just as
    /// ``elements`` omits them. If no element has a value, the list is missing, unless it's empty:
    /// an empty list is fresh until it's removed.
    ///
    /// - Complexity: O(*n*) in the number of elements.
    public var freshness: Freshness {
        if let batch { return batch.checked { freshness(in: $0) } }
        if core.isClosed { return .missing }
        return core.withOpenSnapshot { core.withSnapshot(at: $0, freshness(in:)) }
    }

    /// Returns the freshness of the list's oldest element in a cache, a batch or a snapshot.
    ///
    /// See ``freshness``.
    ///
    /// - Parameter cache: The cache, the batch or the snapshot to read from.
    /// - Complexity: O(*n*) in the number of elements.
    public func freshness(in cache: some ReadableCache) -> Freshness {
        guard let ids = cache.get(ListState<Element>.self, id: name)?.ids else { return .missing }
        return Freshness(oldestOf: ids.lazy.map { cache.freshness(of: Element.self, id: $0) })
    }
}

extension Freshness {
    /// Creates the freshness of the oldest of some elements that have values.
    init(oldestOf elements: some Sequence<Freshness>) {
        let elements = Array(elements)
        let oldest = elements.lazy.filter { !$0.isMissing }.min { $0.precedes($1) }
        self = oldest ?? (elements.isEmpty ? .fresh(since: nil) : .missing)
    }

    /// Returns whether a stored value is older than another one.
    private func precedes(_ other: Freshness) -> Bool {
        switch (self, other) {
        case (.stale(let since), .stale(let otherSince)): since < otherSince
        case (.fresh(let since?), .fresh(let otherSince?)): since < otherSince
        case (.stale, _), (.fresh(_?), .fresh(nil)): true
        default: false
        }
    }
}
