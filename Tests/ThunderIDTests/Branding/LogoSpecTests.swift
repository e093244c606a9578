import Foundation
import IdentityKit
import Testing

@testable import ThunderID

/// What the text of a logo stands for. Administrators write it and the server checks nothing of it.
@Suite struct LogoSpecTests {
    private func avatar(
        _ content: String, _ variant: AvatarVariant = .twoLetter, _ shape: AvatarShape = .rounded, colors: Int = 0,
        background: String? = nil
    ) -> ResolvedLogo {
        .avatar(AvatarSpec(shape: shape, variant: variant, content: content, colors: colors, bg: background))
    }

    @Test("An emoji is one character")
    func emoji() {
        #expect(resolveLogoSpec("emoji:🛡️") == .emoji("🛡️"))
        #expect(resolveLogoSpec("emoji: 👩‍👩‍👧 and more") == .emoji("👩‍👩‍👧"))
        #expect(resolveLogoSpec("emoji:", fallbackSeedText: "Notes") == avatar("NO"))
    }

    @Test("What is missing in a generated picture, or is not understood, has a default")
    func generated() {
        #expect(
            resolveLogoSpec("avatar:shape=circle,variant=one_letter,content=B,colors=2,bg=#FF5733")
                == avatar("B", .oneLetter, .circle, colors: 2, background: "#ff5733"))
        #expect(resolveLogoSpec("avatar:", fallbackSeedText: "Notes") == avatar("NO"))
        #expect(
            resolveLogoSpec(" avatar:content=A") == .url(" avatar:content=A"), "Only the beginning of a text counts")
        #expect(
            resolveLogoSpec("avatar: shape = star , variant = three_letter, content = X=Y ,colors=many,,=,x")
                == avatar("X=Y"))
        #expect(resolveLogoSpec("avatar:colors=99999999999999999999,content=AB") == avatar("AB"))
        #expect(resolveLogoSpec("avatar:colors=-3,content=AB") == avatar("AB", colors: -3))
        #expect(
            resolveLogoSpec("avatar:variant=anonymous_animal", fallbackSeedText: "Notes")
                == avatar("raccoon", .anonymousAnimal))
    }

    @Test("Content has a limit, and so has the whole text")
    func limits() {
        let long = String(repeating: "x", count: 1000)
        #expect(resolveLogoSpec("avatar:content=\(long)") == avatar(String(repeating: "x", count: 64)))
        #expect(resolveLogoSpec("https://a.example/\(long)\(long)\(long)", fallbackSeedText: "Notes") == avatar("NO"))
        #expect(resolveLogoSpec("emoji:" + String(repeating: "\u{301}", count: 4000)) == avatar("A"))
    }

    @Test(
        "Only pictures at https are loaded, and none with somebody's password in its address",
        arguments: [
            ("https://a.example/logo.png", true), ("HTTPS://a.example/logo.png?size=2", true),
            ("http://a.example/logo.png", false), ("file:///etc/passwd", false), ("data:image/png;base64,AAAA", false),
            ("javascript:alert(1)", false), ("https://ada:secret@a.example/logo.png", false),
            ("https:///logo.png", false),
            ("logo.png", false), ("", false),
        ])
    func addresses(text: String, isLoaded: Bool) {
        #expect(resolveLogoSpec(text) == .url(text))
        #expect((resolveLogoSpec(text).imageAddress != nil) == isLoaded)
    }
}
