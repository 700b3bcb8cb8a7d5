import Testing

/// Tests with several threads that lock the folder of the user's defaults.
///
/// They run one after another, since they would only wait for each other.
@Suite(.serialized) enum DefaultsFolderTests {}
