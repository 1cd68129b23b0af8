/** Fonts of the reader's system: the site loads nothing from other hosts, and no font of its own. */
import theme from "vitepress/theme-without-fonts";
import "./style.css";

export default theme;
