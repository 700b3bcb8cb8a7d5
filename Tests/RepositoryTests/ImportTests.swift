import Testing

/// Checks that each module imports only the modules that this file lists.
struct ImportTests {
    private static let libc: Set = ["Glibc", "Musl", "Bionic", "Android", "Darwin", "WASILibc"]

    /// The modules that each module may import.
    private static let allowed: [String: Set<String>] = [
        "FlatCache": libc.union(["Synchronization", "Observation"]),
        "FlatCacheFoundation": ["FlatCache", "Foundation", "FoundationEssentials"],
        "FlatCacheDispatch": libc.union(["FlatCache", "Dispatch"]),
        "FlatCacheCombine": ["FlatCache", "Combine", "OpenCombine"],
        "FlatCacheMacros": [
            "SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftSyntax", "SwiftSyntaxBuilder",
            "SwiftSyntaxMacros",
        ],
        "FlatCacheTesting": ["FlatCache", "FlatCachePersistence", "Dispatch"],
        "FlatCachePersistence": libc.union([
            "FlatCache", "Foundation", "Dispatch", "Observation", "Synchronization", "AppKit",
            "UIKit", "WatchKit",
        ]),
        "FlatCachePersistenceCombine": ["FlatCache", "FlatCacheCombine", "FlatCachePersistence"],
        "FlatCacheRows": ["Foundation"],
        "FlatCacheSQLite": [
            "FlatCache", "FlatCacheFoundation", "FlatCachePersistence", "FlatCacheRows",
            "Foundation", "SQLite3", "CSQLite",
            "Synchronization",
        ],
        "FlatCachePostgres": ["FlatCache", "FlatCacheRows", "Foundation", "CPostgres"],
        "Bookshop": [
            "FlatCache", "FlatCacheFoundation", "FlatCachePersistence", "FlatCacheSQLite",
            "Foundation",
        ],
    ]

    private let checkout = Checkout()

    @Test func modulesImportOnlyTheListedModules() throws {
        // A library of the system has only a module map.
        let modules = try checkout.names(in: "Sources").filter {
            !checkout.contains("Sources/\($0)/module.modulemap") && !$0.hasPrefix(".")
        }
        #expect(Set(modules) == Set(Self.allowed.keys))
        for (module, allowed) in Self.allowed {
            let files = try checkout.swiftFiles(in: "Sources/\(module)")
            #expect(!files.isEmpty, "\(module)")
            for file in files {
                for found in SourceImport.imports(in: try checkout.lines(of: file)) {
                    let place = "\(file):\(found.line)"
                    #expect(allowed.contains(found.module), "\(place): import \(found.module)")
                    let isGuarded = found.isGuarded || !Self.libc.contains(found.module)
                    #expect(isGuarded, "\(place): requires #if canImport(\(found.module))")
                }
            }
        }
    }

    @Test(arguments: [
        "import A", "public import A", "@testable import A", "@_spi(Some) package import A.B",
        "  import A // for the B", "import struct A.B", "@preconcurrency import `A`",
        "#if os(Linux)\n#else\nimport A\n#endif",
    ])
    func importsAreFound(text: String) {
        #expect(SourceImport.imports(in: text.split(separator: "\n")).map(\.module) == ["A"])
    }

    @Test(arguments: ["// import A", "/// import A", "important()", "let import1 = A", "import1 A"])
    func otherLinesAreNoImports(text: String) {
        #expect(SourceImport.imports(in: [text[...]]).isEmpty)
    }

    @Test func onlyTheBranchThatRequiresAModuleGuardsItsImport() {
        let text = """
            #if canImport(A)
            import A
            #elseif canImport(B)
            #if DEBUG
            import B
            #endif
            #else
            import A
            #endif
            #if !canImport(A)
            import A
            #endif
            import B
            """
        let imports = SourceImport.imports(in: text.split(separator: "\n"))
        #expect(imports.map(\.isGuarded) == [true, true, false, false, false])
        #expect(imports.map(\.line) == [2, 5, 8, 11, 13])
    }
}
