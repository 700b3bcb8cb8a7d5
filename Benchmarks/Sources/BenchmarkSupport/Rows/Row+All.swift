extension Row {
    /// All rows, in the order of their numbers.
    public static let all: [Row] = [
        readingRows, handleRows, threadRows, writingRows, ingestRows, relationshipRows, latencyRows,
        memoryRows, packageRows, observationRows, sequenceRows, deliveryRows, trackingRows,
        listRows, aliasRows, publisherRows, limitRows, hitRatioRows, persistedReadingRows,
        persistingRows, fileWritingRows, defaultsWritingRows, outsideWriteRows, overloadRows,
        responseRows, partialValueRows, lineRows, loadingRows, watchedEntityRows,
        worstCaseRows, queryRows, graphRows, sharedGraphRows, peerRows,
        nodeRows, nodeDelayRows, replicaRows, layerRows, requestRows,
    ].flatMap { $0 }

    /// The baseline of most rows.
    static let lockedDictionary = "Mutex<[ID: Value]>"
    /// The baseline of rows that call closures.
    static let bareClosureCall = "a bare closure call"
    /// The baseline of rows that count calls or steps.
    static let lockedLookup = "a lookup in it, 100,000 entities"
}
