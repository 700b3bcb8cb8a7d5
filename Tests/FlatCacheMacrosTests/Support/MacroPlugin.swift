#if Macros
import Foundation
import TestSupport

/// The compiler plug-in with the macros, as a process that answers the compiler's messages.
///
/// A message is JSON behind its length in eight bytes. See `PluginMessages.swift` of SwiftSyntax.
final class MacroPlugin {
    private let process: ChildProcess

    /// Starts the plug-in.
    init() throws {
        process = try ChildProcess(try Self.executable().path)
        _ = try answer(to: ["getCapability": ["capability": ["protocolVersion": 7]]])
    }

    /// Expands an extension macro.
    ///
    /// - Parameters:
    ///   - macro: The name of the macro, which is also the protocol of the conformance.
    ///   - declaration: The declaration with the macro.
    ///   - type: The name of the declared type.
    ///   - context: The beginning of the declaration around it, if there is one.
    func expand(
        _ macro: String,
        of declaration: String,
        extending type: String,
        conformance: String,
        in context: String?
    ) throws -> MacroExpansion {
        let reference = [
            "moduleName": "FlatCacheMacros", "typeName": "\(macro)Macro", "name": macro,
        ]
        let conformances = "struct Placeholder: \(conformance) {}"
        let message: [String: Any] = [
            "macro": reference,
            "macroRole": "extension",
            "discriminator": "",
            "attributeSyntax": syntax("@\(macro)", kind: "attribute"),
            "declSyntax": syntax(declaration, kind: "declaration"),
            "extendedTypeSyntax": syntax(type, kind: "type"),
            "conformanceListSyntax": syntax(conformances, kind: "declaration"),
            "lexicalContext": [context].compactMap(\.self).map { syntax($0, kind: "declaration") },
        ]
        let answer = try answer(to: ["expandAttachedMacro": message])
        return try JSONDecoder().decode([String: MacroExpansion].self, from: answer).values.first
            ?? MacroExpansion(expandedSource: nil, diagnostics: [])
    }

    private func syntax(_ source: String, kind: String) -> [String: Any] {
        let location: [String: Any] = [
            "fileID": "Tests/\(kind).swift", "fileName": "\(kind).swift", "offset": 0, "line": 1,
            "column": 1,
        ]
        return ["kind": kind, "source": source, "location": location]
    }

    private func answer(to message: [String: Any]) throws -> Data {
        let data = try JSONSerialization.data(withJSONObject: message)
        let length = withUnsafeBytes(of: UInt64(data.count).littleEndian) { Data($0) }
        try process.input.write(contentsOf: length + data)
        let answerLength = try read(8).reversed().reduce(0) { $0 << 8 | Int($1) }
        return try read(answerLength)
    }

    private func read(_ count: Int) throws -> Data {
        var data = Data()
        while data.count < count {
            let more = try process.output.read(upToCount: count - data.count)
            guard let more, !more.isEmpty else { throw EndOfOutput() }
            data += more
        }
        return data
    }

    /// Returns the executable, which SwiftPM builds beside the tests.
    private static func executable() throws -> URL {
        var folders = [Bundle.main.bundleURL]
        folders += [URL(fileURLWithPath: CommandLine.arguments[0]), Bundle.main.executableURL]
            .compactMap { $0?.deletingLastPathComponent() }
        // On a Mac, the tests are a bundle, which contains this class.
        folders += [Bundle(for: MacroPlugin.self).bundleURL.deletingLastPathComponent()]
        for folder in folders {
            // SwiftPM marks products for the host, Xcode doesn't.
            for name in ["FlatCacheMacros-tool", "FlatCacheMacros"] {
                let file = folder.appending(path: name)
                if FileManager.default.isExecutableFile(atPath: file.path) { return file }
            }
        }
        throw MissingPlugin()
    }

    private struct EndOfOutput: Error {}
    private struct MissingPlugin: Error {}
}
#endif
