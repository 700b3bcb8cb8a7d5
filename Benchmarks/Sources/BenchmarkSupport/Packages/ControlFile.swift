import FlatCache
import Foundation

/// A reader of the format in which Debian describes its packages: paragraphs of fields.
enum ControlFile {
    /// Returns the packages that a text describes, each once, in the order of their first
    /// occurrence.
    ///
    /// Reads bytes, since the index of a distribution has fifty million of them.
    static func packages(in text: Data) -> [DebianPackage] {
        var packages: [DebianPackage] = []
        var positions: [String: Int] = [:]
        var paragraph = Paragraph()
        func endParagraph() {
            defer { paragraph = Paragraph() }
            guard let package = paragraph.package else { return }
            if let position = positions[package.id] {
                packages[position] = package
            } else {
                positions[package.id] = packages.count
                packages.append(package)
            }
        }
        text.withUnsafeBytes { bytes in
            for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            {
                if line.isEmpty { endParagraph() } else { paragraph.read(line) }
            }
        }
        endParagraph()
        return packages
    }

    /// Returns the names in a list such as `libc6 (>= 2.36), debconf (>= 0.5) | debconf-2.0`: the
    /// first of each set of alternatives, without versions and architectures, each once.
    static func names(inDependencies list: String) -> [String] {
        var seen: Set<String> = []
        return list.split(separator: ",").compactMap { relation in
            let name = relation.drop { $0 == " " }.prefix { !" (|:".contains($0) }
            return !name.isEmpty && seen.insert(String(name)).inserted ? String(name) : nil
        }
    }
}

/// The relevant fields of one package.
private struct Paragraph {
    private var name: String?
    private var version = ""
    private var dependencies: [String] = []

    var package: DebianPackage? {
        name.map { name in
            let names = ControlFile.names(inDependencies: dependencies.joined(separator: ","))
            return DebianPackage(id: name, version: version, dependencies: names.map { .init($0) })
        }
    }

    mutating func read(_ line: Slice<UnsafeRawBufferPointer>) {
        // The first letter excludes most other fields.
        switch line.first {
        case UInt8(ascii: "P"):
            if let value = value(of: "Package: ", in: line) { name = value }
            if let value = value(of: "Pre-Depends: ", in: line) { dependencies.append(value) }
        case UInt8(ascii: "V"):
            if let value = value(of: "Version: ", in: line) { version = value }
        case UInt8(ascii: "D"):
            if let value = value(of: "Depends: ", in: line) { dependencies.append(value) }
        default:
            break
        }
    }

    private func value(
        of field: StaticString,
        in line: Slice<UnsafeRawBufferPointer>
    ) -> String? {
        let name = UnsafeBufferPointer(start: field.utf8Start, count: field.utf8CodeUnitCount)
        guard line.starts(with: name) else { return nil }
        return String(decoding: line.dropFirst(name.count), as: UTF8.self)
    }
}
