import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON as maps, lists, strings, doubles, booleans and null, as far as traces have it. */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> read(String text) {
        return (Map<String, Object>) new Json(text).value();
    }

    private char next() {
        while (Character.isWhitespace(text.charAt(at)) || text.charAt(at) == ',') {
            at++;
        }
        return text.charAt(at);
    }

    private Object value() {
        switch (next()) {
            case '{':
                return map();
            case '[':
                return list();
            case '"':
                return string();
            default:
                return word();
        }
    }

    private Map<String, Object> map() {
        Map<String, Object> map = new LinkedHashMap<>();
        at++;
        while (next() != '}') {
            String key = string();
            at = text.indexOf(':', at) + 1;
            map.put(key, value());
        }
        at++;
        return map;
    }

    private List<Object> list() {
        List<Object> list = new ArrayList<>();
        at++;
        while (next() != ']') {
            list.add(value());
        }
        at++;
        return list;
    }

    /** Names in GDL have neither quotes nor backslashes. */
    private String string() {
        int start = at + 1;
        at = text.indexOf('"', start) + 1;
        return text.substring(start, at - 1);
    }

    private Object word() {
        int start = at;
        while (",]} \n".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String word = text.substring(start, at);
        switch (word) {
            case "true":
            case "false":
                return Boolean.valueOf(word);
            case "null":
                return null;
            default:
                return Double.valueOf(word);
        }
    }
}
