import Foundation
import IdentityKit
import Testing

@testable import ThunderID

/// Generated pictures. The expected values are those of ThunderID's rule, calculated apart from this code.
@Suite struct AvatarTests {
    private struct Look: Equatable {
        var initials: String
        var start: String?
        var end: String?
        var angle: Double?

        init(_ initials: String, _ start: String?, _ end: String?, _ angle: Double?) {
            (self.initials, self.start, self.end, self.angle) = (initials, start, end, angle)
        }

        init(_ avatar: GeneratedAvatar) {
            self.init(avatar.initials, avatar.startColorHex, avatar.endColorHex, avatar.angleDegrees)
        }
    }

    @Test(
        "The same description looks as in ThunderID's own applications",
        arguments: [
            ("BM", 2, Look("BM", "#ec4899", "#be185d", 206)), ("B", 0, Look("B", "#f59e0b", "#ea580c", 4)),
            ("Notes", -3, Look("NO", "#5cd1ff", "#3688ff", 259)), ("ZZ", 11, Look("ZZ", "#3688ff", "#1d5eb4", 227)),
            // The number of this one is negative where it is signed.
            ("Überraschung für alle", 0, Look("ÜB", "#5cd1ff", "#3688ff", 157)),
            ("", 0, Look("AP", "#ef4444", "#b91c1c", 168)),
        ] as [(String, Int, Look)])
    private func looks(content: String, colors: Int, expected: Look) {
        let spec = AvatarSpec(shape: .circle, variant: .twoLetter, content: content, colors: colors)
        #expect(Look(generateAvatar(spec)) == expected)
        #expect(generateAvatar(spec).shape == .circle)
    }

    @Test("Any number of colours is one", arguments: [Int.max, .min, 0, -1])
    func anyNumber(colors: Int) throws {
        let avatar = generateAvatar(AvatarSpec(shape: .rounded, variant: .oneLetter, content: "Ada", colors: colors))
        let angle = try #require(avatar.angleDegrees)
        #expect((0..<360).contains(angle))
        #expect(avatar.initials == "A")
    }

    @Test("A colour of its own is all of the background, and what is no colour is none")
    func background() {
        func avatar(_ background: String) -> GeneratedAvatar {
            generateAvatar(
                AvatarSpec(shape: .rounded, variant: .twoLetter, content: "AB", colors: 0, bg: background))
        }
        #expect(Look(avatar("#FF5733")) == Look("AB", nil, nil, nil))
        #expect(avatar("#FF5733").flatBackgroundHex == "#ff5733")
        #expect(avatar("#abc").flatBackgroundHex == "#aabbcc")
        for text in ["red", "#12345", "#gggggg", "url(https://a.example)", "", "#１２３", "＃123456"] {
            #expect(avatar(text).flatBackgroundHex == nil, "\(text)")
            #expect(avatar(text).startColorHex != nil, "\(text)")
        }
    }

    @Test("Content is derived from the first letters and digits, or picked by the whole text")
    func derived() {
        #expect(deriveAvatarContent(variant: .twoLetter, seedText: "  my notes") == "MY")
        #expect(deriveAvatarContent(variant: .oneLetter, seedText: "4 notes") == "4")
        #expect(deriveAvatarContent(variant: .twoLetter, seedText: "ÄÖÜ") == "A")
        #expect(deriveAvatarContent(variant: .twoLetter, seedText: nil) == "A")
        #expect(deriveAvatarContent(variant: .anonymousAnimal, seedText: "Notes") == "raccoon")
        #expect(deriveAvatarContent(variant: .anonymousAnimal, seedText: "session-1") == "platypus")
        #expect(deriveAvatarContent(variant: .anonymousEntity, seedText: "Notes") == "lock")
        #expect(deriveAvatarContent(variant: .anonymousEntity, seedText: nil) == "anchor")
    }

    @Test("Every animal and every thing has a character")
    func glyphs() {
        #expect(anonymousAnimalNames.count == 19)
        #expect(anonymousEntityNames.count == 36)
        func glyph(_ variant: AvatarVariant, _ name: String) -> String? {
            AnonymousGlyphs.glyph(for: AvatarSpec(shape: .circle, variant: variant, content: name, colors: 0))
        }
        for name in anonymousAnimalNames { #expect(glyph(.anonymousAnimal, name)?.count == 1, "\(name)") }
        for name in anonymousEntityNames { #expect(glyph(.anonymousEntity, name.uppercased())?.count == 1, "\(name)") }
        #expect(glyph(.anonymousAnimal, "unicorn") == nil)
        #expect(glyph(.twoLetter, "otter") == nil)
    }
}
