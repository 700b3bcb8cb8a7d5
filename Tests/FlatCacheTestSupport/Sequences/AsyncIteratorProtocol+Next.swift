extension AsyncIteratorProtocol where Failure == Never {
    /// Returns the next elements, or fewer if the sequence ends first.
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
