extension Row {
    /// Rows that measure memory, each time in a fresh process.
    static let memoryRows = [
        Row(
            "13",
            "resident bytes per entity, 1,000,000 entities",
            against: lockedDictionary,
            unit: .bytes,
            target: 1.25
        ) { scale in
            let entities = scale(1_000_000)
            return Contest {
                MemoryQuestion.lockedDictionary.ask(entities: entities)
            } subject: {
                MemoryQuestion.flatCache.ask(entities: entities)
            }
        }
    ]
}
