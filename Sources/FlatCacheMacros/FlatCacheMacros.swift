#if Macros
import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The compiler plug-in with the macros of FlatCache.
@main struct FlatCacheMacros: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        MergeableMacro.self, CachedRelationshipsMacro.self, CachedRelationshipsIgnoredMacro.self,
    ]
}
#else
/// SwiftPM links the plug-in also without the trait, if it builds all targets of the package.
@main enum FlatCacheMacros {
    static func main() {}
}
#endif
