import Testing

/// Says which rules a test tries to break, by their names in `Tests/AttackTable/rules.json`.
///
/// `.ci/documentation/attack_table.py` reads it in the sources, and writes the table of attacks in the security model.
package struct GuardedRules: TestTrait {
    /// The names of the rules.
    package let rules: [String]
}

extension Trait where Self == GuardedRules {
    /// The test is the attack on these rules.
    package static func guards(_ rules: String...) -> Self { GuardedRules(rules: rules) }
}
