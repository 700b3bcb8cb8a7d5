import FlatCachePersistence

extension Row {
    /// Rows that read persisted values, which don't change in the meantime.
    static let persistedReadingRows = [
        Row("19a", "@Persisted, an Int in the defaults", against: plainCall, target: 1.3) {
            defaultsReads(of: 42, placeholder: 0, $0) { PersistedProperty($0) }
        },
        Row("19b", "the same, a String of 40 bytes", against: plainCall, target: 1.3) {
            defaultsReads(of: "\(Texts.title(1)), bound", placeholder: "", $0) {
                PersistedProperty($0)
            }
        },
        Row("19c", "the same, decoded from a JSON file", against: lockedProperty, target: 1.5) {
            fileReads(of: PrintOrder(title: Texts.title(1), copies: 2, notes: ["a", "b"]), $0)
        },
        Row("19d", "as 19a, in a structure", against: plainCall, target: 1.3) {
            defaultsReads(of: 42, placeholder: 0, $0) { PersistedField($0) }
        },
    ]

    private static let plainCall = "UserDefaults.object(forKey:)"
    private static let lockedProperty = "Mutex<Value>.withLock { $0 }"

    private static func defaultsReads<Value: PropertyListRepresentable & Equatable>(
        of value: Value,
        placeholder: Value,
        _ scale: Scale,
        makeSubject: (Persisted<Value>) -> some PropertySubject<Value>
    ) -> Contest {
        .ifPossible {
            let scratch = try ScratchDefaults()
            let storage = UserDefaultsStorage(scratch.defaults)
            try storage.storeValue(value.propertyListValue, key: "value")
            let persisted = Persisted(
                key: "value",
                userDefaults: scratch.defaults,
                defaultValue: placeholder
            )
            let plain = PlainDefaultsProperty(scratch.defaults, placeholder)
            return reads(plain, makeSubject(persisted), value, scale(200_000)) {
                withExtendedLifetime(scratch) {}
            }
        }
    }

    private static func fileReads(of value: PrintOrder, _ scale: Scale) -> Contest {
        .ifPossible {
            let folder = try ScratchFolder()
            let file = folder.file("order.json")
            let form = JSONTransformer<PrintOrder>()
            try FileStorage().storeValue(form.transformValue(value), key: file)
            let persisted = Persisted(
                file: file,
                transformer: form,
                defaultValue: PrintOrder(title: "", copies: 0, notes: [])
            )
            let subject = PersistedProperty(persisted)
            return reads(LockedProperty(value), subject, value, scale(2_000_000)) {
                withExtendedLifetime(folder) {}
            }
        }
    }

    private static func reads<Value: Equatable>(
        _ baseline: some PropertySubject<Value>,
        _ subject: some PropertySubject<Value>,
        _ value: Value,
        _ count: Int,
        keeping scratch: @escaping () -> Void
    ) -> Contest {
        // The stored value, rather than the default.
        precondition(subject.value == value, "The value was not stored: \(subject.value).")
        return Contest {
            Stopwatch.nanoseconds(per: count) { readAgain(baseline, count) }
        } subject: {
            defer { scratch() }
            return Stopwatch.nanoseconds(per: count) { readAgain(subject, count) }
        }
    }
}

/// A value that a client may store in a file.
private struct PrintOrder: Codable, Equatable, Sendable {
    var title: String
    var copies: Int
    var notes: [String]
}
