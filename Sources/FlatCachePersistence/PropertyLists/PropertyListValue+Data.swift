public import Foundation

extension PropertyListValue {
    /// The key of the only value in the dictionary that stands for a reference of a keyed archive
    /// in XML.
    static let referenceKey = "CF$UID"

    /// Reads a property list in XML or in the binary format.
    ///
    /// The ancient text format, which nearly any text is, is not read: a damaged file would pass for
    /// a sound one.
    ///
    /// - Parameter data: The bytes, such as those of a file.
    /// - Throws: A ``PropertyListError`` if this is no property list, or holds what a
    ///   `PropertyListValue` cannot be.
    /// - Complexity: O(*n*), where *n* is the number of bytes.
    public init(propertyListData data: Data) throws {
        self = try Self.read(data).value
    }

    /// Reads a property list, and tells its format.
    ///
    /// - Parameter data: The bytes.
    /// - Returns: What is in it.
    /// - Throws: A ``PropertyListError``.
    /// - Complexity: O(*n*), where *n* is the number of bytes.
    static func read(
        _ data: Data
    ) throws -> (value: PropertyListValue, format: PropertyListSerialization.PropertyListFormat) {
        if data.starts(with: BinaryPropertyList.signature) {
            return (try BinaryPropertyList.read(data), .binary)
        }
        // Text in any encoding has its first mark-up within a few bytes. What has none would be read
        // in the ancient format, for which Foundation writes messages to the console.
        guard data.prefix(64).contains(UInt8(ascii: "<")) else {
            throw PropertyListError(
                .notUnderstood(data.isEmpty ? "there are no bytes" : "it is no XML")
            )
        }
        var format = PropertyListSerialization.PropertyListFormat.xml
        let object: Any
        do {
            object = try PropertyListSerialization.propertyList(from: data, format: &format)
        } catch {
            throw PropertyListError(.notUnderstood("its \(data.count) bytes cannot be parsed"))
        }
        guard format == .xml else { throw PropertyListError(.notUnderstood("it is no XML")) }
        return (try PropertyListValue(propertyList: object), format)
    }

    /// Returns a property list as bytes that hold exactly this value: the same bytes for equal values.
    ///
    /// - Parameter format: XML or binary. In XML a date has whole seconds: give
    ///   ``withWholeSeconds`` of a value.
    /// - Returns: The bytes.
    /// - Throws: A ``PropertyListError`` if a reader would not get the value back.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    func propertyListData(
        format: PropertyListSerialization.PropertyListFormat
    ) throws -> Data {
        // A few values go in but don't come out, and some of those make all the others unreadable
        // as well: dates that are infinite, texts that begin with a byte order mark, dictionaries
        // that look like a reference. So the bytes are read before anyone stores them.
        guard
            let data = try? unchecked(format: format),
            let readBack = try? PropertyListValue(propertyListData: data),
            readBack == self
        else {
            throw PropertyListError(.unsupported("this value in a form that can be read back"))
        }
        return data
    }

    private func unchecked(
        format: PropertyListSerialization.PropertyListFormat
    ) throws -> Data {
        if format == .binary { return BinaryPropertyListWriter.write(self) }
        return try PropertyListSerialization.data(
            fromPropertyList: propertyList,
            format: format,
            options: 0
        )
    }

    /// The value with the fraction of a second dropped from each date, as XML drops it.
    ///
    /// - Complexity: O(*n*), where *n* is the size of the value.
    var withWholeSeconds: PropertyListValue {
        switch self {
        case .date(let date):
            .date(
                Date(
                    timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.rounded(
                        .down
                    )
                )
            )
        case .array(let values): .array(values.map(\.withWholeSeconds))
        case .dictionary(let values): .dictionary(values.mapValues(\.withWholeSeconds))
        default: self
        }
    }
}
