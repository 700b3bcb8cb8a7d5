extension Row {
    /// The greatest accepted ratios of the rows that miss their targets.
    ///
    /// The tables of the README list the misses. These ratios are about a quarter greater, since
    /// machines differ, so that a row that gets much slower is noticed.
    public static let knownMisses: [String: Double] = [
        "3": 1.25, "4b": 1.8, "7b": 3.0, "16g": 1.25, "17b": 2.4, "27a": 1.25, "30j": 1.4,
        "30l": 200, "32a": 1.8, "32c": 1.25,
        "34a": 5.5, "34d": 2, "34f": 1.9,
        "35c": 30, "35d": 1.4, "35e": 1.8,
    ]
}
