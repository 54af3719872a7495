-- comment_value: the value of the first comment of a sentence with this key; NULL if there is none.
-- kind: function
-- parameter comments VARCHAR[]: the comment lines of a sentence, `sentences.comments`
-- parameter key VARCHAR: the key, for example `speaker` in `# speaker = Ann`
-- column value VARCHAR: the text after the `=`
-- source: CoNLL-U format, Universal Dependencies
list_transform(list_filter(comments, lambda line: contains(line, '=') AND trim(string_split(substr(line, 2), '=')[1]) = key),
               lambda line: trim(substr(line, strpos(line, '=') + 1)))[1]
