import Foundation
import IdentityKit
import Testing

/// Nothing public shows a secret when it is printed, in whatever way, and no new type is forgotten here.
@Suite struct PrintingTests {
    @Test("No public type shows a secret in print, interpolation, reflection or dump, and none is left out")
    @MainActor func everyType() async throws {
        var walk = Walk(lookingFor: Planted.secrets)
        let values =
            try await Specimens.identityKit() + Specimens.observed() + Specimens.oAuthKit() + Specimens.providers()
            + Specimens.observedProviders() + Specimens.errors() + Specimens.fleet()
        for value in values { walk.look(at: value) }
        let types = try PublicType.all()
        #expect(types.count > 150, "the sources are found")
        let names = Set(types.map(\.name))
        for type in types where type.reasonForHoldingNone == nil && Specimens.exempt[type.name] == nil {
            #expect(
                walk.types.contains(type.name),
                "\(type.name) in \(type.file) is new: give Specimens one with a secret in every place for one")
        }
        for name in Specimens.exempt.keys {
            #expect(names.contains(name) && !walk.types.contains(name), "\(name) needs no exemption")
        }
    }

    @Test("The walk finds what is shown")
    func finds() {
        struct Leaky {
            let token: String
        }
        final class Holder {
            let data = Data(Planted.text.utf8)
        }
        for value in [Leaky(token: Planted.text), Holder(), ["a": Planted.text]] as [Any] {
            withKnownIssue {
                var walk = Walk(lookingFor: Planted.secrets)
                walk.look(at: value)
            }
        }
    }
}
