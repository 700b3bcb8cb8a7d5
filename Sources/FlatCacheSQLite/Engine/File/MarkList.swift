#if canImport(SQLite3) || canImport(CSQLite)
/// The encoding of the marks of a merged record's changes.
///
/// The marks themselves come first, each once: the differences of their numbers and times from the
/// mark before, and their writers. The places of the changes' marks among them follow.
enum MarkList {
    static func encode(_ marks: [TransactionMark]) -> [UInt8] {
        if marks.isEmpty { return [] }
        let different = Set(marks).sorted { ($0.number, $0.writer) < ($1.number, $1.writer) }
        var bytes: [UInt8] = []
        CompactNumber.append(UInt64(different.count), to: &bytes)
        var last = TransactionMark(number: 0, time: WallTime(milliseconds: 0), writer: 0)
        for mark in different {
            let difference = mark.time.milliseconds &- last.time.milliseconds
            CompactNumber.append(signed: mark.number &- last.number, to: &bytes)
            CompactNumber.append(signed: difference, to: &bytes)
            CompactNumber.append(signed: mark.writer, to: &bytes)
            last = mark
        }
        let places = Dictionary(uniqueKeysWithValues: zip(different, 0...))
        for mark in marks { CompactNumber.append(UInt64(places[mark] ?? 0), to: &bytes) }
        return bytes
    }

    /// Returns the marks, or `nil` if the bytes are damaged.
    static func decode(_ bytes: UnsafeRawBufferPointer) -> [TransactionMark]? {
        if bytes.isEmpty { return [] }
        var rest = bytes[...]
        guard let count = CompactNumber.read(&rest), count <= IdentifierList.maximumCount else {
            return nil
        }
        var different: [TransactionMark] = []
        var (number, time): (Int64, Int64) = (0, 0)
        for _ in 0..<count {
            guard let nextNumber = CompactNumber.readSigned(&rest),
                let nextTime = CompactNumber.readSigned(&rest),
                let writer = CompactNumber.readSigned(&rest)
            else { return nil }
            number &+= nextNumber
            time &+= nextTime
            let wall = WallTime(milliseconds: time)
            different.append(TransactionMark(number: number, time: wall, writer: writer))
        }
        var marks: [TransactionMark] = []
        while !rest.isEmpty {
            guard let place = CompactNumber.read(&rest), place < count else { return nil }
            marks.append(different[Int(place)])
        }
        return marks
    }
}
#endif
