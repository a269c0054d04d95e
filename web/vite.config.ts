// One page, one script, one sheet: crates/pages puts them into its binary, and into one file.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

const here = dirname(fileURLToPath(import.meta.url));

/** Inside an HTML page, these would end a script or change how its text is read. */
const TROUBLE = /<(?=!--|\/?script)/gi;

/** Writes index.html as it stands, and the script so that it can stand inside a page. */
function writePage(): Plugin {
  return {
    name: "write-page",
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === "chunk") file.code = file.code.replace(TROUBLE, "\\x3c");
      }
      const source = readFileSync(join(here, "page.html"), "utf8");
      this.emitFile({ type: "asset", fileName: "index.html", source });
    },
  };
}

export default defineConfig({
  root: here,
  publicDir: false,
  plugins: [writePage()],
  define: { "process.env.NODE_ENV": '"production"' },
  build: {
    outDir: process.env["EVENHAND_ASSETS"] ?? join(here, "../crates/pages/assets"),
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    reportCompressedSize: false,
    lib: {
      entry: join(here, "src/main.tsx"),
      name: "evenhand",
      formats: ["iife"],
      fileName: () => "app.js",
      cssFileName: "app",
    },
  },
});
