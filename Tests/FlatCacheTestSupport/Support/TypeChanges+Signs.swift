import FlatCache

extension EntityChange {
    /// A short description of the change, such as `+1`, `~1` or `-1`.
    var sign: String {
        switch kind {
        case .inserted: "+\(id)"
        case .updated: "~\(id)"
        case .removed: "-\(id)"
        case .becameStale: "!\(id)"
        case .related: "?\(id)"
        }
    }
}

extension TypeChanges {
    /// Short descriptions of the changes, in order.
    var signs: String { changes.map(\.sign).joined(separator: " ") }
}

extension Cache {
    /// Records a short description of each commit's changes to a type.
    func recordAll<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        in recorder: Recorder<String>
    ) -> Disposable where Value.ID: Sendable {
        observeAll(type) { recorder.append($0.signs) }
    }
}
