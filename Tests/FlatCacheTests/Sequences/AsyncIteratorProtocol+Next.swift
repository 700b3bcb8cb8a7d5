extension AsyncIteratorProtocol where Failure == Never {
    /// Takes a number of elements; fewer if the sequence ends before.
    mutating func next(
        _ count: Int,
        isolation actor: isolated (any Actor)? = #isolation
    ) async -> [Element] {
        var elements: [Element] = []
        while elements.count < count, let element = await next(isolation: actor) {
            elements.append(element)
        }
        return elements
    }
}
