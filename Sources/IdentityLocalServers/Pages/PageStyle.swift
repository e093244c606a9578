import Foundation
import IdentityKit

/// The style of all pages: one style sheet, designed for phones first, that follows the system's light or dark mode.
enum PageStyle {
    /// The hash of the style sheet for the content security policy, so that no other style applies (CSP level 3 section 2.3.1).
    static let source = "'sha256-\(Data(sha256(Data(sheet.text.utf8))).base64EncodedString())'"

    static let sheet: HTML = """
        :root { color-scheme: light dark; --ground: #f3f4f6; --card: #fff; --ink: #17191e; --quiet: #565d6b;
          --edge: #dfe2e7; --line: #828997; --accent: #2a50c4; --on-accent: #fff; --bad: #a3201d; --bad-ground: #fdf0ee;
          --good: #176437; --warning: #7d5200; --shade: rgb(0 0 0 / .22); }
        @media (prefers-color-scheme: dark) {
          :root { --ground: #0f1115; --card: #191c22; --ink: #eceef2; --quiet: #a6adba; --edge: #2c313a; --line: #737b89;
            --accent: #9db6ff; --on-accent: #0e1734; --bad: #ffb3ab; --bad-ground: #3a1b1b;
            --good: #7fdb9f; --warning: #f0c56c; --shade: rgb(0 0 0 / .75); } }
        *, *::before { box-sizing: border-box; }
        html { font: 100%/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; -webkit-text-size-adjust: 100%;
          background: var(--card); color: var(--ink); }
        body { margin: 0; min-height: 100vh; min-height: 100dvh; display: grid; grid-template-columns: minmax(0, 1fr); }
        main { width: 100%; max-width: 26rem; margin: 0 auto; padding: 2rem 1.25rem 2.5rem; overflow-wrap: anywhere; }
        main.wide { max-width: 72rem; }
        header { margin-bottom: 1.25rem; }
        .site { margin: 0 0 .35rem; color: var(--quiet); font-size: .875rem; font-weight: 600; letter-spacing: .01em; }
        h1 { margin: 0; font-size: 1.625rem; line-height: 1.2; font-weight: 650; letter-spacing: -.015em; }
        .lead { margin: .5rem 0 0; }
        h2 { margin: 2rem 0 .75rem; font-size: 1.125rem; line-height: 1.3; }
        p { margin: 0 0 1rem; }
        a { color: var(--accent); text-underline-offset: .15em; }
        code { font: .9em ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
        .quiet, .hint { color: var(--quiet); font-size: .875rem; }
        .alert { padding: .7rem .9rem; border-left: .25rem solid var(--bad); border-radius: .375rem;
          background: var(--bad-ground); color: var(--bad); font-weight: 550; }
        .code-sign { font: 600 1.5rem/1.2 ui-monospace, "SF Mono", Menlo, Consolas, monospace; letter-spacing: .12em; }
        form { margin: 0 0 1rem; }
        main > :last-child { margin-bottom: 0; }
        .field { margin: 0 0 1rem; }
        .field label { display: block; margin-bottom: .3rem; font-size: .9375rem; font-weight: 550; }
        .hint { margin: .3rem 0 0; }
        input, select { width: 100%; min-height: 2.875rem; padding: .5rem .75rem; border: 1px solid var(--line);
          border-radius: .5rem; background: var(--card); color: inherit; font: inherit; }
        ::placeholder { color: var(--quiet); opacity: 1; }
        input.code { letter-spacing: .2em; font-variant-numeric: tabular-nums; }
        input[aria-invalid="true"] { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad); }
        input:disabled { opacity: .6; }
        .box { display: grid; grid-template-columns: auto 1fr; column-gap: .75rem; align-items: start; margin-bottom: .75rem; }
        .box input { width: 1.25rem; min-height: 0; height: 1.25rem; margin: .15rem 0 0; accent-color: var(--accent); }
        .box label { margin: 0; font-weight: 450; }
        .box .hint { grid-column: 2; margin: 0; }
        .buttons { display: grid; gap: .625rem; margin-top: 1.25rem; }
        button, a.button { display: block; width: 100%; min-height: 2.875rem; padding: .5rem 1rem; border: 1px solid transparent;
          border-radius: .5rem; font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer; }
        .primary { background: var(--accent); color: var(--on-accent); }
        .secondary { background: transparent; border-color: var(--line); color: var(--ink); }
        a.secondary { border-color: var(--line); }
        .plain { background: transparent; color: var(--accent); }
        button:hover, a.button:hover { filter: brightness(1.08); }
        .secondary:hover, .plain:hover { background: var(--ground); filter: none; }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        .aside p { margin: 0; color: var(--quiet); }
        .aside { display: flex; flex-wrap: wrap; align-items: center; justify-content: center; column-gap: .35rem; }
        .aside form { margin: 0; }
        .aside .buttons { margin: 0; }
        .aside button { width: auto; padding: .25rem .4rem; text-decoration: underline; text-underline-offset: .15em; }
        hr { margin: 1.5rem 0; border: 0; border-top: 1px solid var(--edge); }
        .scroll { overflow-x: auto; margin: 0 0 1rem; border: 1px solid var(--edge); border-radius: .5rem;
          background: linear-gradient(90deg, var(--card) 30%, transparent) left / 3rem 100% no-repeat local,
            linear-gradient(270deg, var(--card) 30%, transparent) right / 3rem 100% no-repeat local,
            linear-gradient(90deg, var(--shade), transparent) left / 1rem 100% no-repeat scroll,
            linear-gradient(270deg, var(--shade), transparent) right / 1rem 100% no-repeat scroll, var(--card); }
        .scroll-hint { display: none; margin: 0 0 .35rem; color: var(--quiet); font-size: .8125rem; }
        @media (max-width: 47.99rem) { .scroll-hint { display: block; } }
        pre { padding: .75rem; font: .8125rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
        .notice { padding: .7rem .9rem; border-left: .25rem solid var(--good); background: var(--ground); font-weight: 550; }
        #live { margin-bottom: 1rem; }
        .tabs { display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin: 1rem 0; border-bottom: 1px solid var(--edge); }
        .tabs a { padding: .5rem 0; color: var(--quiet); text-decoration: none; }
        [aria-current] { color: var(--ink); font-weight: 650; text-decoration: none; }
        .tabs [aria-current] { color: var(--ink); box-shadow: inset 0 -3px var(--accent); }
        .filter input { width: auto; min-width: 0; min-height: 2.5rem; flex: 1 1 10rem; max-width: 20rem; }
        .row.filter { align-items: center; }
        summary { padding: .5rem 0; color: var(--accent); font-weight: 600; cursor: pointer; }
        .state { white-space: nowrap; font-weight: 550; }
        .good { color: var(--good); }
        .warning { color: var(--warning); }
        .bad { color: var(--bad); }
        .also { display: block; }
        .reason { display: block; min-width: 16rem; }
        [aria-invalid] ~ .hint { color: var(--bad); }
        .number { font-variant-numeric: tabular-nums; white-space: nowrap; }
        td time { white-space: nowrap; font-variant-numeric: tabular-nums; }
        td code { overflow-wrap: normal; white-space: nowrap; }
        td code.path { display: block; min-width: 12rem; overflow-wrap: anywhere; white-space: normal; }
        table { width: 100%; border-collapse: collapse; font-size: .875rem; overflow-wrap: normal; }
        caption { padding: .5rem .75rem; color: var(--quiet); text-align: left; }
        th, td { padding: .45rem .75rem; border-bottom: 1px solid var(--edge); text-align: left; vertical-align: top; }
        tr:last-child > td { border-bottom: 0; }
        th { color: var(--quiet); font-weight: 600; white-space: nowrap; }
        .row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; }
        .row form, td form { margin: 0; }
        nav.row { gap: .375rem 1rem; margin-bottom: .75rem; }
        td .buttons { margin: 0; }
        .wide td button { min-height: 2rem; padding: .2rem .75rem; font-size: .875rem; white-space: nowrap; }
        .wide .buttons { display: flex; flex-wrap: wrap; margin-top: 0; }
        .wide .row.actions { margin-bottom: .75rem; }
        .wide a.button { display: inline-block; }
        .wide button, .wide a.button { width: auto; min-height: 2.5rem; font-size: .9375rem; }
        @media (min-width: 32rem) {
          html { background: var(--ground); }
          main { align-self: center; margin: 2rem auto; padding: 2.25rem 2.25rem 2.5rem; background: var(--card);
            border: 1px solid var(--edge); border-radius: 1rem; }
          main.wide { align-self: start; } }
        @media (prefers-contrast: more) { :root { --quiet: var(--ink); --edge: var(--line); } }
        @media (forced-colors: active) { button, .alert { border: 1px solid; } }
        """
}
